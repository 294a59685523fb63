// Runs a folder of dated drops (employees.csv, customers.json, projects.json, staffing.csv in each) one after the other
// through the built program against the sandbox, and prints the results for docs/engineering/results.md. Exits with 1 if the writes
// sent, the forecast and the minimum differ, if a second plan proposes anything, or if the links in the service differ
// from the drops.
// Usage: npm run drops -- FOLDER
import { execFile, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { compareLinks } from './drops/compare-links.mjs';
import { beginCount, countMinimum } from './drops/minimum.mjs';

const [source] = process.argv.slice(2);
if (!source) {
  process.stderr.write('Usage: npm run drops -- FOLDER, with one folder per date inside\n');
  process.exit(1);
}
const main = new URL('../dist/main.js', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'talent-sync-drops-'));
const env = { ...process.env, TALENT_API_KEY: 'key-of-the-drops' };

async function run(...args) {
  const command = ['-f', '%e %U %S %M', process.execPath, main, ...args, '--config', join(folder, 'talent-sync.yaml')];
  const ran = promisify(execFile)('/usr/bin/time', [...command, '--json'], { env, maxBuffer: 1 << 28 });
  // A run with holds or tripped guards has another exit code, but still prints its document.
  const { stdout, stderr } = await ran.catch((ended) => ended);
  const [clock, user, system, kib] = (/([\d.]+) ([\d.]+) ([\d.]+) (\d+)\s*$/.exec(stderr) ?? []).slice(1).map(Number);
  return { document: JSON.parse(stdout), clock, cpu: user + system, mib: Math.round(kib / 1024) };
}

function describe(counts) {
  return Object.entries(counts)
    .flatMap(([entity, actions]) =>
      Object.entries(actions).map(([action, count]) => `${entity.replace('_', ' ')} ${action} ${count}`),
    )
    .join(', ');
}

writeFileSync(
  join(folder, 'fixture.json'),
  JSON.stringify({
    account: { languages: ['en'], whitelisted_domains: ['example.com'] },
    keys: [{ key: env.TALENT_API_KEY, name: 'Drops', role: 'internationalmanager' }],
    countries: [{ code: 'us', native_language_code: 'en', offices: [] }],
  }),
);
const sandbox = spawn(process.execPath, [main, 'sandbox', '--fixture', join(folder, 'fixture.json')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const { url } = JSON.parse(
  await new Promise((resolve) => sandbox.stdout.once('data', (data) => resolve(String(data)))),
);
const config = readFileSync(new URL('../config/real-drops.yaml', import.meta.url), 'utf8');
const account = { url, key: env.TALENT_API_KEY };
writeFileSync(join(folder, 'talent-sync.yaml'), config.replace('https://acme.example.com', url));
for (const part of ['drop/hr', 'drop/crm']) mkdirSync(join(folder, part), { recursive: true });

function deliver(from, to) {
  copyFileSync(from, join(folder, to));
  const settled = new Date(Date.now() - 120_000);
  utimesSync(join(folder, to), settled, settled);
}

const readRows = (date, name) => JSON.parse(readFileSync(join(source, date, `${name}.json`), 'utf8')).results;
const readCells = (date, name) => parse(readFileSync(join(source, date, `${name}.csv`)), { columns: true });

const count = beginCount();
process.stdout.write(
  '| drop | changes | writes sent | forecast | minimum | reads | seconds, clock / processor | peak MiB | then |\n|---|---|---|---|---|---|---|---|---|\n',
);
try {
  for (const date of readdirSync(source).sort()) {
    deliver(join(source, date, 'employees.csv'), `drop/hr/employees-${date}.csv`);
    for (const name of ['customers', 'projects'])
      deliver(join(source, date, `${name}.json`), `drop/crm/${name}-${date}.json`);
    deliver(join(source, date, 'staffing.csv'), `drop/crm/staffing-${date}.csv`);
    const minimum = countMinimum(count, {
      people: readCells(date, 'employees'),
      customers: readRows(date, 'customers'),
      projects: readRows(date, 'projects'),
      staffing: readCells(date, 'staffing'),
    });
    const plan = await run('plan');
    const first = await run('apply', plan.document.plan);
    const parts = [first];
    const then = [];
    for (const { guard, held } of first.document.guards) {
      then.push(`${guard} held ${held}, approved`);
      await run('approve', '--guard', guard, '--reason', 'a real election');
    }
    if (then.length > 0) parts.push(await run('sync'));
    if (first.document.held.length > 0) then.push(`${first.document.held.length} held`);
    const again = Object.keys((await run('plan')).document.counts).length;
    then.push(again === 0 ? 'replan: nothing' : 'REPLAN NOT EMPTY', await compareLinks(account, count.links));
    const total = (name) => parts.reduce((sum, part) => sum + part.document.calls[name], 0);
    const forecast = plan.document.cost.writes + first.document.guards.reduce((sum, trip) => sum + trip.held, 0);
    if (again > 0 || then.at(-1).includes('WRONG') || forecast !== minimum || total('writes') !== minimum)
      process.exitCode = 1;
    const seconds = (name) => parts.reduce((sum, part) => sum + part[name], 0).toFixed(1);
    const peak = Math.max(...parts.map((part) => part.mib));
    process.stdout.write(
      `| ${date} | ${describe(plan.document.counts)} | ${total('writes')} | ${forecast} | ${minimum} | ${total('reads')} | ${seconds('clock')} / ${seconds('cpu')} | ${peak} | ${then.join('; ')} |\n`,
    );
  }
} finally {
  sandbox.kill();
}
