// The minimum work to find the changes between two deliveries: EXCEPT over (key, digest), in both directions. Only the
// queries are timed.
// Usage: node except.mjs BEFORE AFTER, two CSV files
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import Database from 'better-sqlite3';
import { parse } from 'csv-parse';

const database = new Database('');
const [before, after] = process.argv.slice(2);
await stage('before', before);
await stage('after', after);
const startedMs = performance.now();
const [gone, fresh] = [
  ['before', 'after'],
  ['after', 'before'],
].map(([left, right]) =>
  database.prepare(`SELECT key, digest FROM ${left} EXCEPT SELECT key, digest FROM ${right}`).all(),
);
const seconds = (performance.now() - startedMs) / 1_000;
process.stdout.write(JSON.stringify({ seconds, gone: gone.length, fresh: fresh.length }));

async function stage(table, file) {
  database.exec(`CREATE TABLE ${table} (key TEXT PRIMARY KEY, digest BLOB NOT NULL) WITHOUT ROWID; BEGIN`);
  const insert = database.prepare(`INSERT INTO ${table} VALUES (?, ?)`);
  for await (const row of createReadStream(file).pipe(parse({ from: 2, delimiter: ';' })))
    insert.run(row[0], createHash('sha256').update(row.join('\0')).digest());
  database.exec('COMMIT');
}
