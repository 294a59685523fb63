// `npm run bench-reads [-- ROWS [NAME]]`: measures peak memory while reading this number of rows from each kind of source.
// Only the last row is in scope, and the account is empty. The run therefore mostly reads, and its one planned create proves
// that it has read the last row.
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { buildFixture, buildPerson, COLUMNS, writeRows } from './bench/company.mjs';
import { main, measure, startSandbox } from './bench/measure.mjs';
import { startFeed, startOpenSsh, startProvider } from './bench/systems.mjs';

const people = Number(process.argv[2] ?? 100_000);
/** Only sources whose name contains this text. */
const only = process.argv[3] ?? '';
const LIMIT_MIB = 250;
const folder = mkdtempSync(join(tmpdir(), 'talent-sync-reads-'));
const drop = join(folder, 'drop');
const open = [];

function* writeJson(start, between, end) {
  yield start;
  for (let index = 0; index < people; index++)
    yield `${index === 0 ? '' : between}${JSON.stringify(buildPerson(index, 0))}`;
  yield end;
}

const deliver = (name, rows) => pipeline(Readable.from(rows), createWriteStream(join(drop, name)));

const columns = `columns: { ${COLUMNS.map((name) => `${name}: string`).join(', ')} }`;
const files = (type, rest) => `
    type: ${type}
    drop: ${drop}
${rest}`;
const stream = (rest) => `
    streams:
      rows: { ${rest}, key: employee_id, ${columns} }`;

const LAST = buildPerson(people - 1, 0).employee_id;
const usersFrom = (fields) => `users:
  existence: source
  scope: '${fields.id}${fields.id.includes('?') ? '.orValue("")' : ''} == "${LAST}"'
  match: [external_unique_id]
  fields:
    external_unique_id: ${fields.id}
    email: ${fields.email}
    name: ${fields.name}
    telephone: ${fields.phone}
    title: { en: ${fields.title} }
    office: { country: ${fields.country}, name: ${fields.department} }`;
const OF_ROWS = usersFrom({
  id: 'record.employee_id',
  email: 'record.email.lowerAscii()',
  name: 'record.first_name + " " + record.last_name',
  phone: 'record.mobile',
  title: 'record.title',
  country: 'record.country',
  department: 'record.department',
});
const OF_USERS = usersFrom({
  id: 'record.?externalId',
  email: 'record.?email',
  name: 'record.?displayName',
  phone: 'record.?phone',
  title: 'record.?title',
  country: 'record.?country',
  department: 'record.?department',
});
/** Customers, for the rows of a CRM. People come from sources with one stream. */
const CUSTOMERS = `customers:
  from: [source.rows]
  scope: record.employee_id == "${LAST}"
  match: [external_unique_id]
  fields:
    external_unique_id: record.employee_id
    customer_name: { en: record.last_name }`;

/** Each source to read, with its mapping. */
function listSources({ provider, feed, ssh }) {
  const csv = `    pattern: "*.csv"
    key: employee_id
    settle: 0s
    ${columns}`;
  const scim = (rest) => `
    type: scim
    base_url: ${provider.url}
    ${rest}`;
  return [
    { name: 'CSV in a folder', source: files('csv', csv), mapping: OF_ROWS },
    ...(ssh === null
      ? []
      : [
          {
            name: 'CSV over SFTP (OpenSSH)',
            source: `
    type: csv
    drop: sftp://127.0.0.1:${ssh.port}${drop}
    sftp: ${ssh.access}
${csv}`,
            mapping: OF_ROWS,
          },
        ]),
    {
      name: 'NDJSON file',
      source: files('crm', stream('pattern: "*.ndjson", settle: 0s')),
      mapping: CUSTOMERS,
    },
    {
      name: 'one JSON document',
      source: files('crm', stream('pattern: "*.json", rows: /results, settle: 0s')),
      mapping: CUSTOMERS,
    },
    {
      name: 'JSON stream, 1,000 per page',
      source: `
    type: crm
    base_url: ${feed.url}${stream('path: /rows, rows: /results, total: /total, next: { token: /next, parameter: after }')}`,
      mapping: CUSTOMERS,
    },
    { name: 'SCIM, 100 per page', source: scim(''), mapping: OF_USERS },
    {
      name: 'SCIM, kept for reads of changes',
      source: scim('incremental: { full_every: 24h }'),
      mapping: OF_USERS,
      again: 'SCIM, 1 % changed since',
    },
    { name: 'SCIM with memberships of groups', source: scim('memberships: groups'), mapping: OF_USERS },
  ];
}

const buildConfig = (url, state, { source, mapping }) => `service:
  base_url: ${url}
  api_key: { env: API_KEY }
  rate_limit: { concurrency: 8 }
state: ${state}
policy: upsert-only
sources:
  source:${source}
${mapping}
`;

async function read(name, config) {
  const { text, seconds, cpu, mib } = await measure(folder, [main, 'plan', '--config', config, '--json'], {
    codes: [0, 4],
  });
  // Planned offices are ignored, and incomplete reads (exit code 4) are accepted.
  const { counts, held } = JSON.parse(text);
  const planned = JSON.stringify(counts);
  if (!planned.includes('"create":1') || held.length > 0) throw new Error(`${name}: ${planned}`);
  const cells = [name, seconds.toFixed(1), cpu.toFixed(1), mib.toFixed(0)];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
  return mib;
}

try {
  mkdirSync(drop);
  await deliver('rows.csv', writeRows(people));
  await deliver('rows.ndjson', writeJson('', '\n', '\n'));
  await deliver('rows.json', writeJson('{"results":[', ',', ']}'));
  const sandbox = await startSandbox(folder, buildFixture(0));
  open.push(sandbox);
  const [provider, feed, ssh] = [await startProvider(people), await startFeed(people), await startOpenSsh(folder)];
  open.push(provider, feed, ...(ssh === null ? [] : [ssh]));
  process.stdout.write(
    `${people} people\n\n| read from | seconds | processor seconds | peak MiB |\n|---|---|---|---|\n`,
  );
  let most = 0;
  for (const [index, wanted] of listSources({ provider, feed, ssh }).entries()) {
    if (!wanted.name.includes(only)) continue;
    const config = join(folder, `${index}.yaml`);
    writeFileSync(config, buildConfig(sandbox.url, join(folder, `state-${index}`), wanted));
    most = Math.max(most, await read(wanted.name, config));
    if (wanted.again === undefined) continue;
    provider.change(100);
    most = Math.max(most, await read(wanted.again, config));
  }
  if (most > LIMIT_MIB) {
    process.stderr.write(`over ${LIMIT_MIB} MiB\n`);
    process.exitCode = 1;
  }
} finally {
  for (const one of open) await one.close();
  rmSync(folder, { recursive: true, force: true });
}
