// Reads the content of the operator pages from SQLite and parses its JSON: the changes of a plan, or the summaries of 300
// tenants.
// Usage: node read-rows.mjs PLAN changes|tenants TIMES
import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { listTenants } from './summaries.mjs';

const [plan, what, times] = process.argv.slice(2);
const WARM = 5;
const lines = readFileSync(plan, 'utf8').split('\n');
const changes = lines.filter((line) => line.startsWith('{"action":')).map((line) => line.replace(/,$/, ''));
const bodies = what === 'changes' ? changes : listTenants().map((tenant) => JSON.stringify(tenant));
const database = new Database(':memory:');
database.exec('CREATE TABLE shown (id INTEGER PRIMARY KEY, body TEXT NOT NULL)');
const put = database.prepare('INSERT INTO shown (body) VALUES (?)');
database.transaction(() => {
  for (const body of bodies) put.run(body);
})();
const all = database.prepare('SELECT id, body FROM shown ORDER BY id');

function read(count) {
  let rows = 0;
  for (let i = 0; i < count; i += 1) for (const { body } of all.iterate()) rows += JSON.parse(body) === null ? 0 : 1;
  return rows;
}

read(WARM);
const [before, startedMs] = [process.cpuUsage(), performance.now()];
const rows = read(Number(times));
const { user, system } = process.cpuUsage(before);
process.stdout.write(
  JSON.stringify({ rows, seconds: (performance.now() - startedMs) / 1_000, cpu: (user + system) / 1e6 }),
);
