// `npm run months`: simulates ordinary months of made-up companies (test/campaign/months) and counts the questions for a person.
// Each tripped guard or hold is one question, for any number of changes. Prints a table and each question. --write puts the
// table into docs/engineering/results.md. --guards replaces the built-in limits.
// Usage: npm run months -- [--people 60,300] [--rhythms nightly,weekly] [--months 12] [--from 0] [--seeds 1,2]
//        [--guards '{"users":{"deactivate":{"max":5}}}'] [--write]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeTable } from './reliability.mjs';
import { describeQuestions, tabulate } from './tabulate-months.mjs';

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '60,300,3000,30000' },
    rhythms: { type: 'string', default: 'every 15 minutes,hourly,nightly,weekly' },
    months: { type: 'string' },
    from: { type: 'string', default: '0' },
    seeds: { type: 'string', default: '1' },
    guards: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

/** Keeps the total below half an hour of one core. A company of 30,000 with frequent runs plays fewer months. */
const MONTHS = (people, rhythm) => (people < 10_000 || rhythm === 'weekly' ? 12 : 3);
const list = (text) => text.split(',').map((one) => one.trim());
const guards = values.guards === undefined ? {} : { guards: JSON.parse(values.guards) };
const plays = list(values.people).flatMap((people) =>
  list(values.rhythms).flatMap((rhythm) =>
    list(values.seeds).map((seed) => ({
      people: Number(people),
      rhythm,
      seed: Number(seed),
      firstMonth: Number(values.from),
      months: Number(values.months ?? MONTHS(Number(people), rhythm)),
      ...guards,
    })),
  ),
);

const folder = mkdtempSync(join(tmpdir(), 'talent-sync-months-'));
const out = join(folder, 'played.jsonl');
const vitest = new URL('../node_modules/vitest/vitest.mjs', import.meta.url).pathname;
const test = 'test/campaign/months/months.test.ts';
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--mode', 'all', '--maxWorkers=1', '--disable-console-intercept=true', test],
  { env: { ...process.env, MONTHS_PLAYS: JSON.stringify(plays), MONTHS_OUT: out }, stdio: 'inherit' },
);
if (status !== 0) process.exitCode = 1;
const played = readFileSync(out, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
rmSync(folder, { recursive: true });
const { head, rows } = tabulate(played);
process.stdout.write(
  `${[head, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n\n${describeQuestions(played)}\n`,
);
if (played.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
if (values.write) writeTable('months', head, rows, 'docs/engineering/results.md');
