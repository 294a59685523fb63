// The minimum work of any program that stores as much as a first sync: list the users, parse the file, and write the
// final rows of `state.db` and `mirror.db` into empty databases with the same tables and indexes. It maps, matches and
// compares nothing.
// Usage: node first-floor.mjs FILE STATE, with BASE_URL and API_KEY
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { parse } from 'csv-parse';
import { listUsers } from './list-users.mjs';

const [file, state] = process.argv.slice(2);
const AT_ONCE = 2_000;

function copyRows(name, folder) {
  const [from, to] = [new Database(join(state, name), { readonly: true }), new Database(join(folder, name))];
  to.pragma('journal_mode = WAL');
  const schema = from
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND type IN ('table', 'index')")
    .all()
    .filter((part) => !part.name.startsWith('sqlite_'));
  for (const { sql } of schema) to.exec(sql);
  for (const table of schema.filter(({ type }) => type === 'table')) {
    const columns = from.pragma(`table_info("${table.name}")`).map((column) => `$${column.name}`);
    const insert = to.prepare(`INSERT INTO "${table.name}" VALUES (${columns.join(', ')})`);
    const insertAll = to.transaction((rows) => rows.forEach((row) => void insert.run(row)));
    let rows = [];
    for (const row of from.prepare(`SELECT * FROM "${table.name}"`).iterate()) {
      if (rows.push(row) < AT_ONCE) continue;
      insertAll(rows);
      rows = [];
    }
    insertAll(rows);
  }
  from.close();
  to.close();
}

for await (const _ of listUsers());
for await (const _ of createReadStream(file).pipe(parse({ columns: true, delimiter: ';' })));
const folder = mkdtempSync(join(state, '..', 'floor-'));
for (const name of ['state.db', 'mirror.db']) copyRows(name, folder);
rmSync(folder, { recursive: true });
