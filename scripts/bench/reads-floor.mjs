// The minimum work of a complete read in which nothing has changed: list the users, parse the file, digest each user and each
// row, and look up a stored digest. It maps, checks and writes nothing.
// Usage: node reads-floor.mjs FILE MIRROR, with BASE_URL and API_KEY
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import Database from 'better-sqlite3';
import { parse } from 'csv-parse';
import { listUsers } from './list-users.mjs';

const [file, mirror] = process.argv.slice(2);
const database = new Database(mirror, { readonly: true });
const ofUser = database.prepare("SELECT hash FROM objects WHERE entity = 'users' AND id = ?").pluck();
const ofRow = database.prepare("SELECT digest FROM staged_rows WHERE entity = 'users' AND key = ?").pluck();
const digest = (text) => createHash('sha1').update(text).digest('base64');
let [found, changed] = [0, 0];
// The digests cover other bytes than the stored ones, so they are compared, but never equal.
function compare(text, stored) {
  if (stored !== undefined) found += 1;
  if (digest(text) !== stored) changed += 1;
}

for await (const users of listUsers())
  for (const user of users) compare(JSON.stringify(user), ofUser.get(user.user_id));
for await (const row of createReadStream(file).pipe(parse({ columns: true, delimiter: ';' })))
  compare(Object.values(row).join('\n'), ofRow.get(row.employee_id));
database.close();
process.stdout.write(JSON.stringify({ found, changed }));
