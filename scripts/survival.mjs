// Runs random companies, faults, kills and power cuts for a given time (test/campaign), and compares each history with a
// reference. A fifth of the time is spent on histories of values that both sides own, with another reference. Another fifth is
// spent on histories in which each plan must equal a plan from scratch. Prints counts and writes them into
// docs/engineering/reliability.md. On a failure it ends with the seed and the shortest story that still fails. --story FILE
// repeats a failed story of a company. With --all it continues with further companies, and lists every seed that failed.
// Usage: npm run survival -- [--minutes 60] [--seed 7] [--all] [--story FILE]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeTable } from './reliability.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string' },
    all: { type: 'boolean', default: false },
    story: { type: 'string' },
  },
});
const seed = values.seed ?? String(Math.floor(Math.random() * 1e9));
const minutes = Number(values.minutes);
const out = mkdtempSync(join(tmpdir(), 'talent-sync-survival-'));
const [counts, bothCounts] = [join(out, 'counts.json'), join(out, 'both-sides.json')];
const vitest = new URL('../node_modules/vitest/vitest.mjs', import.meta.url).pathname;

/** Returns true if the test passed. */
function play(test, env) {
  const args = [vitest, 'run', '--mode', 'all', '--maxWorkers=1', '--disable-console-intercept=true', test];
  return spawnSync(process.execPath, args, { env: { ...process.env, ...env }, stdio: 'inherit' }).status === 0;
}

const histories = play('test/campaign/campaign.test.ts', {
  CAMPAIGN_MINUTES: String(minutes * 0.6),
  CAMPAIGN_SEED: seed,
  CAMPAIGN_COUNTS: counts,
  ...(values.all ? { CAMPAIGN_PATIENT: 'yes' } : {}),
  ...(values.story === undefined ? {} : { CAMPAIGN_STORY: values.story }),
});
const bothSides =
  values.story !== undefined ||
  play('test/campaign/both-sides.sweep.test.ts', {
    BOTH_SIDES_MINUTES: String(minutes * 0.2),
    BOTH_SIDES_SEED: seed,
    BOTH_SIDES_COUNTS: bothCounts,
  });
const plans =
  values.story !== undefined ||
  play('test/scenarios/from-scratch.test.ts', {
    FROM_SCRATCH_MINUTES: String(minutes * 0.2),
    FROM_SCRATCH_SEED: seed,
  });
if (!histories || !bothSides || !plans) process.exitCode = 1;
if (values.story === undefined) {
  const rows = [counts, bothCounts].flatMap((file) => Object.entries(JSON.parse(readFileSync(file, 'utf8'))));
  writeTable('survival', ['what', 'count'], [['minutes', minutes], ['first seed', seed], ...groupCounts(rows)]);
}
rmSync(out, { recursive: true });

/** One row for all counts of a kind, such as `fault …` or `CRM: …`. */
function groupCounts(rows) {
  const groups = new Map();
  for (const [key, count] of rows) {
    const [, kind = key, name] = /^(.*): (.*)$/.exec(key) ?? /^(fault) (.*)$/.exec(key) ?? [];
    groups.set(kind, [...(groups.get(kind) ?? []), name === undefined ? count : `${name}: ${count}`]);
  }
  return [...groups].map(([kind, counts]) => [kind, counts.join(' · ')]);
}
