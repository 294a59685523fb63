// Runs real daemons on one real PostgreSQL for a given time (test/fleet). It kills, stops, adds and removes daemons, and
// restarts or stops PostgreSQL. HR delivers, identity providers push to any daemon, and people decide on any daemon. Prints
// each event with the seed, and counts everything at the end.
// Fails if a call was made twice, a slot has two runs or none, or an accepted request is missing.
// Usage: npm run fleet-chaos -- [--minutes 60] [--tenants 200] [--daemons 3] [--every 2] [--between 5-20] [--seed 7]
// [--without-pushes]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    tenants: { type: 'string', default: '200' },
    daemons: { type: 'string', default: '3' },
    every: { type: 'string', default: '2' },
    between: { type: 'string', default: '5-20' },
    seed: { type: 'string' },
    'without-pushes': { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const [minutes, tenants, daemons, every] = [values.minutes, values.tenants, values.daemons, values.every].map(Number);
const out = mkdtempSync(join(tmpdir(), 'talent-sync-fleet-chaos-'));
const found = join(out, 'report.json');
const vitest = new URL('../node_modules/vitest/vitest.mjs', import.meta.url).pathname;
const args = [
  'run',
  '--mode',
  'all',
  '--maxWorkers=1',
  '--disable-console-intercept=true',
  'test/fleet/chaos.sweep.test.ts',
];
const options = {
  ...{ seed, minutes, tenants, daemons, every, pushes: !values['without-pushes'], orders: false, first: [] },
  ...{
    between: values.between.split('-').map(Number),
    awaySeconds: 60,
    stoppedSeconds: [5, 90],
    calmAfterSeconds: minutes * 60,
  },
};
process.stdout.write(`seed ${seed}: ${tenants} tenants, ${daemons} daemons, ${minutes} minutes\n`);
const { status } = spawnSync(process.execPath, [vitest, ...args], {
  env: { ...process.env, CHAOS_OUT: found, CHAOS_OPTIONS: JSON.stringify(options) },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
if (existsSync(found)) {
  /** @type {{ counts: Record<string, number>, events: Record<string, number>, violations: string[] }} */
  const { counts, events, violations } = JSON.parse(readFileSync(found, 'utf8'));
  const lines = [...Object.entries(events), ...Object.entries(counts)].map(
    ([name, count]) => `${String(count).padStart(8)}  ${name}`,
  );
  const end =
    violations.length === 0 ? 'No rule was violated.' : violations.map((one) => `VIOLATED  ${one}`).join('\n');
  process.stdout.write(`\n${lines.join('\n')}\n${end}\nseed ${seed}\n`);
}
rmSync(out, { recursive: true });
