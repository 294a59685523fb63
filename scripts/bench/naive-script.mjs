// The script in the comparisons of `npm run bench`: a simple program for the same job. It reads the file, lists all users
// into a Map, compares field by field and sends the differences one after the other. It has no guards, journal, audit or
// verification.
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';

const { BASE_URL, API_KEY, CSV_FILE } = process.env;
const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };

async function call(method, path, body) {
  const response = await fetch(BASE_URL + path, { method, headers, body: body && JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
  return response.json();
}

const users = new Map();
for (let from = 0; ; from += 500) {
  const page = await call('GET', `/api/v2/users/search?from=${from}&size=500&deactivated=true&use_legacy_codes=false`);
  for (const user of page) users.set(user.external_unique_id, user);
  if (page.length < 500) break;
}

let writes = 0;
for await (const row of createReadStream(CSV_FILE).pipe(parse({ columns: true, delimiter: ';' }))) {
  const wanted = {
    email: row.email.toLowerCase(),
    name: `${row.first_name} ${row.last_name}`,
    upn: row.upn,
    telephone: row.mobile,
    landline: row.phone,
    born_year: Number(row.birth_year),
    title: { en: row.title, no: row.title_no },
    nationality: { en: row.nationality },
  };
  const user = users.get(row.employee_id);
  const differs = Object.entries(wanted).some(([name, value]) => {
    if (typeof value !== 'object') return user[name] !== value;
    return Object.entries(value).some(([language, text]) => user[name]?.[language] !== text);
  });
  if (!differs && user.office_name === row.department) continue;
  await call('PUT', `/api/v1/users/${user.user_id}?use_legacy_codes=false`, { user: wanted });
  writes += 1;
}
process.stdout.write(JSON.stringify({ writes }));
