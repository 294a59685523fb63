// The minimum work of any program that reads the file and its stored copy of the service: parse the file, and read the rows
// of the copy.
// Usage: node floor.mjs FILE MIRROR
import { createReadStream } from 'node:fs';
import Database from 'better-sqlite3';
import { parse } from 'csv-parse';

const [file, mirror] = process.argv.slice(2);
let rows = 0;
for await (const _ of createReadStream(file).pipe(parse({ columns: true, delimiter: ';' }))) rows += 1;
const database = new Database(mirror, { readonly: true });
const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
for (const table of tables) for (const _ of database.prepare(`SELECT * FROM "${table}"`).iterate()) rows += 1;
database.close();
process.stdout.write(JSON.stringify({ rows }));
