// `npm run bench [-- PEOPLE] [--runs 5] [--check] [--grow]`: talent-sync beside the script that one would write instead, in one
// run, as ratios: the clock of a shared machine says little, the ratio of two programs that ran one after the other a good
// deal more. `--check` fails where a ratio is over its target; `--grow` measures from 1,000 people on, and draws
// docs/performance.svg.
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { buildConfig, writeRows } from './bench/company.mjs';
import { drawGrowth } from './bench/draw-growth.mjs';
import { main, measure, readSizeOfTables, startLeanService } from './bench/measure.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '5' }, check: { type: 'boolean' }, grow: { type: 'boolean' } },
});
const people = Number(positionals[0] ?? 20_000);
const runs = Number(values.runs);
const LATENCY_MS = 20;
const CONNECTIONS = 8;
/** Shares no factor with any number of people that one would ask for. */
const OTHER_ORDER = 7_919;
const script = new URL('bench/naive-script.mjs', import.meta.url).pathname;
const floor = new URL('bench/floor.mjs', import.meta.url).pathname;

/** A company in a folder of its own, and the service that holds it. */
async function openCompany(size) {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-bench-'));
  mkdirSync(join(folder, 'drop'));
  const service = await startLeanService(size);
  const configs = { usual: join(folder, 'bench.yaml'), edited: join(folder, 'edited.yaml') };
  writeFileSync(configs.usual, buildConfig(service.url));
  // The same names by another expression.
  writeFileSync(configs.edited, buildConfig(service.url, '[record.first_name, record.last_name].join(" ")'));
  let delivered = 0;
  return {
    folder,
    service,
    file: () => join(folder, 'drop', `employees-${delivered}.csv`),
    async deliver(options) {
      delivered += 1;
      await pipeline(Readable.from(writeRows(size, options)), createWriteStream(this.file()));
    },
    async work(command, ...flags) {
      const args = [command, '--config', configs.usual, '--json', ...flags];
      return measure(folder, [main, ...args]);
    },
    workEdited: (command) => measure(folder, [main, command, '--config', configs.edited, '--json']),
    rival() {
      return measure(folder, [script], { env: { BASE_URL: service.url, CSV_FILE: this.file() } });
    },
    floor() {
      return measure(folder, [floor, this.file(), join(folder, 'state', 'mirror.db')]);
    },
    forget: () => rmSync(join(folder, 'state'), { recursive: true, force: true }),
    close() {
      service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function expectWrites({ text }, expected) {
  const { calls, cost, writes } = JSON.parse(text);
  const found = writes ?? calls?.writes ?? cost.writes;
  if (found !== expected) throw new Error(`${found} writes, and ${expected} expected`);
}

async function watch(expectedWrites, measured) {
  const result = await measured;
  expectWrites(result, expectedWrites);
  return result;
}

/** One round of everything, on a state that is new. */
async function runRound(company, round) {
  const { service } = company;
  company.forget();
  await service.control({ reset: true, delayMs: 0 });
  await company.deliver();
  const rival = await watch(0, company.rival());
  const first = await watch(0, company.work('sync'));
  const same = await watch(0, company.work('plan'));
  const ground = await company.floor();
  await company.deliver({ step: OTHER_ORDER });
  const reordered = await watch(0, company.work('plan'));
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const mapped = await watch(0, company.work('plan', '--as-of', tomorrow));
  const edited = await watch(0, company.workEdited('plan'));
  const databaseMb = readSizeOfTables(join(company.folder, 'state')) / 1e6;

  await service.control({ delayMs: LATENCY_MS });
  await company.deliver({ changedEvery: 100, edition: 1 + round });
  const writes = Math.ceil(people / 100);
  const slow = await watch(writes, company.rival());
  await service.control({ reset: true });
  const changed = await watch(writes, company.work('sync'));
  return { rival, first, same, ground, reordered, mapped, edited, slow, changed, databaseMb };
}

async function runStart(small) {
  return {
    nothing: await measure(small.folder, ['-e', '0']),
    help: await measure(small.folder, [main, '--help']),
    status: await small.work('status'),
    plan: await small.work('plan'),
  };
}

/** What each row compares, and what is wanted: `net` is without the time of a plan of 200 people. */
const ROWS = [
  {
    name: '`plan`, nothing changed, the same bytes',
    of: 'same',
    to: 'rival',
    net: true,
    clock: 0.1,
    cpu: 0.1,
    mib: 180,
  },
  {
    name: '`plan`, exported again in another order',
    of: 'reordered',
    to: 'rival',
    net: true,
    clock: 0.25,
    cpu: 0.25,
    mib: 180,
  },
  { name: '`plan`, every row mapped again', of: 'mapped', to: 'rival', net: true, clock: 0.6, cpu: 0.6, mib: 180 },
  { name: '`plan`, another expression of the same names', of: 'edited', to: 'rival', net: true },
  {
    name: `\`sync\`, 1 % changed, ${LATENCY_MS} ms a call`,
    of: 'changed',
    to: 'slow',
    net: true,
    clock: 0.2,
    cpu: 0.6,
  },
  { name: 'first `sync`, everybody found equal', of: 'first', to: 'rival', net: true, cpu: 2.5 },
  { name: '`plan`, the same bytes, to the floor', of: 'same', to: 'ground', net: true },
];
const STARTS = [
  { name: '`plan` of 200 people', of: 'plan', to: 'nothing', cpu: 7, mib: 110 },
  { name: '`status`', of: 'status', to: 'nothing', cpu: 4 },
  { name: '`--help`', of: 'help', to: 'nothing', cpu: 1.5 },
];
const DATABASES_MB = 160;

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

const missed = [];

/** A median with its spread, and whether it is within its target. */
function cell(name, numbers, target, digits = 2) {
  const middle = median(numbers);
  const spread =
    numbers.length > 1 ? ` (${Math.min(...numbers).toFixed(digits)} to ${Math.max(...numbers).toFixed(digits)})` : '';
  if (target === undefined) return `${middle.toFixed(digits)}${spread}`;
  if (middle > target) missed.push(`${name}: ${middle.toFixed(digits)}, wanted at most ${target}`);
  return `${middle.toFixed(digits)}${spread} ${middle > target ? '> ' : '≤ '}${target}`;
}

function show({ name, of, to, net = false, clock, cpu, mib }, rounds, base) {
  const both = (unit) => rounds.map((round) => [round[of][unit] - (net ? base[unit] : 0), round[to][unit]]);
  const seconds = median(rounds.map((round) => round[of].seconds)).toFixed(2);
  const rival = median(rounds.map((round) => round[to].seconds)).toFixed(2);
  const ratios = (unit) => both(unit).map(([ours, theirs]) => ours / theirs);
  const memory = rounds.map((round) => round[of].mib);
  const longest = Math.max(...rounds.map((round) => round[of].longest));
  const cells = [
    name,
    `${seconds} / ${rival}`,
    cell(`${name}, clock`, ratios('seconds'), clock),
    cell(`${name}, processor`, ratios('cpu'), cpu),
    cell(`${name}, MiB`, memory, mib, 0),
    longest.toFixed(0),
  ];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

async function compare() {
  const [company, small] = [await openCompany(people), await openCompany(200)];
  try {
    await small.deliver();
    await small.work('sync');
    const [rounds, starts] = [[], []];
    for (let round = 0; round < runs; round += 1) {
      starts.push(await runStart(small));
      rounds.push(await runRound(company, round));
    }
    const base = {
      seconds: median(starts.map(({ plan }) => plan.seconds)),
      cpu: median(starts.map(({ plan }) => plan.cpu)),
    };
    process.stdout.write(
      `${people} people, 20 columns, 11 fields, ${runs} runs: median (lowest to highest), and the target\n\n` +
        '| what | seconds / of the other | clock, ratio | processor, ratio | peak MiB | longest wait of the event loop, ms |\n|---|---|---|---|---|---|\n',
    );
    for (const row of ROWS) show(row, rounds, base);
    for (const row of STARTS) show(row, starts, base);
    const size = cell(
      'tables of state.db and mirror.db, MB',
      rounds.map(({ databaseMb }) => databaseMb),
      DATABASES_MB,
      0,
    );
    process.stdout.write(`\nstate.db and mirror.db without journal and audit: ${size} MB\n`);
    const writes = Math.ceil(people / 100);
    const least = ((writes / CONNECTIONS) * LATENCY_MS) / 1_000;
    process.stdout.write(`${writes} writes over ${CONNECTIONS} connections take at least ${least.toFixed(2)} s\n`);
  } finally {
    company.close();
    small.close();
  }
}

/** How a quiet plan grows, beside the script: one run of each size. */
async function grow() {
  const points = [];
  for (const size of [1_000, 10_000, 100_000, 1_000_000].filter((one) => one <= people)) {
    const company = await openCompany(size);
    try {
      await company.deliver();
      await company.work('sync');
      const [ours, theirs] = [await company.work('plan'), await company.rival()];
      points.push({ size, ours, theirs });
      process.stdout.write(
        `${size}: ${ours.seconds.toFixed(2)} s, ${ours.mib.toFixed(0)} MiB; the script ${theirs.seconds.toFixed(2)} s, ${theirs.mib.toFixed(0)} MiB\n`,
      );
    } finally {
      company.close();
    }
  }
  writeFileSync(new URL('../docs/performance.svg', import.meta.url), drawGrowth(points));
}

await (values.grow ? grow() : compare());
if (values.check && missed.length > 0) {
  process.stderr.write(`${missed.join('\n')}\n`);
  process.exitCode = 1;
}
