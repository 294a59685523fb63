// The minimum work of a first load: send one create per person on 8 connections, and parse each answer. It has no plan,
// journal, audit or mirror. Usage: node load-floor.mjs FILE, with BASE_URL and API_KEY
import { createReadStream } from 'node:fs';
import { Agent, request } from 'node:http';
import { parse } from 'csv-parse';
import { CONNECTIONS } from './rounds.mjs';

const [file] = process.argv.slice(2);
const { BASE_URL, API_KEY } = process.env;
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };

function create(user) {
  const body = JSON.stringify({ user });
  const options = { method: 'POST', agent, headers: { ...headers, 'content-length': Buffer.byteLength(body) } };
  return new Promise((resolve, reject) => {
    const call = request(`${BASE_URL}/api/v1/users`, options, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks))));
    });
    call.on('error', reject).end(body);
  });
}

const rows = createReadStream(file)
  .pipe(parse({ columns: true, delimiter: ';' }))
  [Symbol.asyncIterator]();
async function send() {
  for (let next = await rows.next(); !next.done; next = await rows.next()) {
    const { email, employee_id, first_name, last_name, upn, mobile, phone, title, title_no, country, department } =
      next.value;
    await create({
      ...{ email, external_unique_id: employee_id, name: `${first_name} ${last_name}`, upn, telephone: mobile },
      ...{ landline: phone, title: { en: title, no: title_no }, country_code: country, office_name: department },
    });
  }
}
await Promise.all(Array.from({ length: CONNECTIONS }, send));
agent.destroy();
