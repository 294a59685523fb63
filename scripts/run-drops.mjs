// Runs a folder of dated drops (employees.csv, customers.json, projects.json in each) one after the other through the
// built program against the sandbox, and prints what docs/results.md records. Usage: npm run drops -- FOLDER
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';

const [source] = process.argv.slice(2);
if (!source) {
  process.stderr.write('Usage: npm run drops -- FOLDER, with one folder a date inside\n');
  process.exit(1);
}
const main = new URL('../dist/main.js', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'talent-sync-drops-'));
const env = { ...process.env, TALENT_API_KEY: 'key-of-the-drops' };

/** The least number of writes by the table of fewest writes, counted from the drops alone. */
function countMinimum(before, after) {
  const managed = ['email', 'display_name', 'country', 'department', 'job_title', 'mobile', 'unit', 'party'];
  const year = (row) => row.birth_date.slice(0, 4);
  const moved = (a, b, names) => names.some((name) => (b[name] ?? '') !== '' && a[name] !== b[name]);
  const everOf = (name) => new Set([...before.seen[name], ...after.people.map((row) => `${row.country}/${row[name]}`)]);
  const sum = { offices: 0, categories: 0, tags: 0, created: 0, updated: 0, left: 0, customers: 0, projects: 0 };
  for (const name of ['department', 'unit', 'party']) {
    const grown = everOf(name).size - before.seen[name].size;
    if (name === 'department') sum.offices += grown;
    else {
      sum.tags += grown;
      if (before.seen[name].size === 0 && grown > 0) sum.categories += 1;
    }
    before.seen[name] = everOf(name);
  }
  const now = new Map(after.people.map((row) => [row.employee_id, row]));
  for (const [key, row] of now) {
    const old = before.people.get(key);
    if (old === undefined) sum.created += 1;
    else if (before.gone.has(key) || moved(old, row, managed) || (year(row) !== '' && year(old) !== year(row)))
      sum.updated += 1;
    before.gone.delete(key);
    before.people.set(key, row);
  }
  for (const key of before.people.keys()) {
    if (now.has(key) || before.gone.has(key)) continue;
    sum.left += 1;
    before.gone.add(key);
  }
  for (const [kind, names] of [
    ['customers', ['name', 'url', 'description']],
    ['projects', ['name', 'address']],
  ]) {
    for (const row of after[kind]) {
      const old = before[kind].get(row.id);
      if (old === undefined || moved(old, row, names)) sum[kind] += 1;
      before[kind].set(row.id, row);
    }
  }
  return Object.values(sum).reduce((a, b) => a + b, 0);
}

function run(...args) {
  const command = [
    '/usr/bin/time',
    '-f',
    '%e %M',
    process.execPath,
    main,
    ...args,
    '--config',
    join(folder, 'talent-sync.yaml'),
    '--json',
  ];
  const { stdout, stderr } = spawnSync(command[0], command.slice(1), { env, encoding: 'utf8', maxBuffer: 1 << 28 });
  const [seconds, kib] = (/([\d.]+) (\d+)\s*$/.exec(stderr) ?? []).slice(1).map(Number);
  return { document: JSON.parse(stdout), seconds, mib: Math.round(kib / 1024) };
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
writeFileSync(join(folder, 'talent-sync.yaml'), config.replace('https://acme.example.com', url));
for (const part of ['drop/hr', 'drop/crm']) mkdirSync(join(folder, part), { recursive: true });

function deliver(from, to) {
  copyFileSync(from, join(folder, to));
  const settled = new Date(Date.now() - 120_000);
  utimesSync(join(folder, to), settled, settled);
}

const state = {
  people: new Map(),
  gone: new Set(),
  customers: new Map(),
  projects: new Map(),
  seen: { department: new Set(), unit: new Set(), party: new Set() },
};
process.stdout.write(
  '| drop | changes | writes sent | forecast | minimum | reads | seconds | peak MiB | then |\n|---|---|---|---|---|---|---|---|---|\n',
);
try {
  for (const date of readdirSync(source).sort()) {
    deliver(join(source, date, 'employees.csv'), `drop/hr/employees-${date}.csv`);
    for (const name of ['customers', 'projects'])
      deliver(join(source, date, `${name}.json`), `drop/crm/${name}-${date}.json`);
    const minimum = countMinimum(state, {
      people: parse(readFileSync(join(source, date, 'employees.csv')), { columns: true }),
      customers: JSON.parse(readFileSync(join(source, date, 'customers.json'), 'utf8')).results,
      projects: JSON.parse(readFileSync(join(source, date, 'projects.json'), 'utf8')).results,
    });
    const plan = run('plan');
    const first = run('apply', plan.document.plan);
    const parts = [first];
    const then = [];
    for (const { guard, held } of first.document.guards) {
      then.push(`${guard} held ${held}, approved`);
      run('approve', '--guard', guard, '--reason', 'a real election');
    }
    if (then.length > 0) parts.push(run('sync'));
    const left = Object.keys(run('plan').document.counts).length === 0 ? 'replan: nothing' : 'REPLAN NOT EMPTY';
    const total = (name) => parts.reduce((sum, part) => sum + part.document.calls[name], 0);
    const forecast = plan.document.cost.writes + first.document.guards.reduce((sum, trip) => sum + trip.held, 0);
    const seconds = parts.reduce((sum, part) => sum + part.seconds, 0).toFixed(1);
    const peak = Math.max(...parts.map((part) => part.mib));
    process.stdout.write(
      `| ${date} | ${describe(plan.document.counts)} | ${total('writes')} | ${forecast} | ${minimum} | ${total('reads')} | ${seconds} | ${peak} | ${[...then, left].join('; ')} |\n`,
    );
  }
} finally {
  sandbox.kill();
}
