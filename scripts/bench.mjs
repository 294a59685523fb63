// `npm run bench [-- PEOPLE] [--runs 5] [--quick] [--check] [--grow 1000000] [--write]`: compares talent-sync with a
// simple script for the same job, and with the minimum work of any program. It prints ratios, because the clock of a
// shared machine is unreliable. The ratio of two programs that ran one after the other is more reliable.
// - `--check` fails if a ratio exceeds its target.
// - `--quick` measures only the first run and the plans without changes.
// - `--grow` also measures plans without changes, from 1,000 people up to the given number.
// - `--write` writes everything into docs/engineering/performance.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openBackendBench } from './bench/backend.mjs';
import { openCompany } from './bench/bench-company.mjs';
import { drawGrowth } from './bench/draw-growth.mjs';
import { measureLoad } from './bench/load.mjs';
import { measureManyTenants } from './bench/many-tenants.mjs';
import { PLANNED } from './bench/pages.mjs';
import { planForPages, runPushes, runRound, runStart } from './bench/rounds.mjs';
import { LOAD, TENANTS } from './bench/rows.mjs';
import { measureSignals } from './bench/signals.mjs';
import { median, writeTable } from './bench/write-table.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean' },
    grow: { type: 'string' },
    write: { type: 'boolean' },
  },
});
const people = Number(positionals[0] ?? 20_000);
const runs = Number(values.runs);
const MOST_USERS = 20_000;
/** Maximum number of rounds for the receiver and the backend, which take longer than everything else. */
const MOST_LONG = 3;
/** A plan of a million people takes a stable second or two, but the other programs take a minute. */
const MOST_RUNS_OF_MANY = 2;
const MANY = 1_000_000;
const SIZES = [1_000, 10_000, 100_000, MANY];
const PAGE = new URL('../docs/engineering/performance.md', import.meta.url);
const PICTURE = new URL('../docs/engineering/performance.svg', import.meta.url);

function say(words) {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${words}\n`);
}

async function compare() {
  const users = Math.min(MOST_USERS, people);
  const [company, small, shown] = [await openCompany(people), await openCompany(200), await openCompany(PLANNED)];
  const measured = {
    people,
    rounds: [],
    starts: [],
    pages: [],
    pushes: { users, runs: [] },
    backend: [],
    loads: [],
    tenants: [],
    signals: null,
  };
  const backend = values.quick ? null : await openBackendBench(say);
  try {
    await small.deliver();
    await small.work(['sync']);
    await planForPages(shown);
    for (let round = 0; round < runs; round += 1) {
      say(`run ${round + 1} of ${runs}`);
      measured.starts.push(await runStart(small));
      measured.pages.push(await shown.runPages());
      measured.rounds.push(await runRound(company, people, { round, isQuick: values.quick }));
      if (round >= MOST_LONG || values.quick) continue;
      measured.pushes.runs.push(await runPushes(users));
      measured.loads.push(await measureLoad(Math.min(LOAD.people, people)));
      measured.tenants.push(await measureManyTenants(TENANTS.count, people));
      if (backend !== null) measured.backend.push(await backend.run(people, round));
    }
    if (!values.quick) {
      say('signals');
      measured.signals = await measureSignals(company, people).catch((error) => {
        say(`the line about signals is left out: ${error.message}`);
        return null;
      });
    }
    return writeTable(measured);
  } finally {
    await backend?.close();
    company.close();
    small.close();
    shown.close();
  }
}

/** The cost of a plan without changes, of the script and of the floor: the median of the runs for each size. */
async function grow(most) {
  const points = [];
  for (const size of SIZES.filter((one) => one <= most)) {
    say(`${size} people`);
    const company = await openCompany(size);
    try {
      await company.deliver();
      const first = await company.work(['sync']);
      const found = { ours: [], script: [], floor: [] };
      for (let run = 0; run < (size < MANY ? runs : Math.min(runs, MOST_RUNS_OF_MANY)); run += 1) {
        found.ours.push(await company.work(['plan']));
        found.script.push(await company.runScript());
        found.floor.push(await company.runFloor());
      }
      points.push({ size, first, ...mapEach(found, typical) });
    } finally {
      company.close();
    }
  }
  return points;
}

const mapEach = (object, map) => Object.fromEntries(Object.entries(object).map(([name, one]) => [name, map(one)]));
const typical = (all) =>
  Object.fromEntries(['seconds', 'cpu', 'mib'].map((unit) => [unit, median(all.map((one) => one[unit]))]));

function writeGrowth(points) {
  const cells = ({ seconds, mib }) => `${seconds.toFixed(2)} s, ${mib.toFixed(0)} MiB`;
  const rows = points.map(
    ({ size, first, ours, script, floor }) =>
      `| ${[size.toLocaleString('en'), cells(first), cells(ours), cells(script), cells(floor)].join(' | ')} |`,
  );
  return `${['| people | first `sync` | `plan`, nothing changed | the script | the floor |', '|---|---|---|---|---|', ...rows].join('\n')}\n`;
}

/** Writes the text between the marks of the page, or to the terminal. */
function publish(name, text) {
  process.stdout.write(`${text}\n`);
  if (!values.write) return;
  const [begin, end] = [`<!-- ${name}: written by npm run bench -->`, `<!-- /${name} -->`];
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest] = page.split(begin);
  const [, after] = rest.split(end);
  writeFileSync(PAGE, `${before}${begin}\n${text.trim()}\n${end}${after}`);
}

const { text, missed } = await compare();
publish('table', text);
if (values.grow !== undefined) {
  const points = await grow(Number(values.grow));
  publish('growth', writeGrowth(points));
  if (values.write) writeFileSync(PICTURE, drawGrowth(points));
}
if (values.check && missed.length > 0) {
  process.stderr.write(`${missed.join('\n')}\n`);
  process.exitCode = 1;
}
