// Whether a daemon grows: a simulated day of twenty tenants in one process, and then so many real minutes with a small heap. What the
// process holds is noted after each hour, and after each round; the slopes are fitted over the second half, when caches are
// full. It writes them into docs/reliability.md, and fails where something grows by more than a hundredth an hour; of a part
// that took less than half an hour the slopes say nothing.
// Usage: npm run soak -- [--minutes 60] [--tenants 20]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeTable } from './reliability.mjs';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, tenants: { type: 'string', default: '20' } },
});
const out = mkdtempSync(join(tmpdir(), 'talent-sync-soak-'));
const found = join(out, 'samples.json');
const vitest = new URL('../node_modules/vitest/vitest.mjs', import.meta.url).pathname;
const args = [
  'run',
  '--mode',
  'all',
  '--maxWorkers=1',
  '--execArgv=--max-old-space-size=160',
  '--execArgv=--expose-gc',
];
const { status } = spawnSync(process.execPath, [vitest, ...args, 'test/daemon/soak.test.ts'], {
  env: { ...process.env, SOAK_OUT: found, SOAK_MINUTES: values.minutes, SOAK_TENANTS: values.tenants },
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);

/** @type {{ part: string, hours: number, heapMiB: number, rssMiB: number, handles: number, descriptors: number }[]} */
const samples = JSON.parse(readFileSync(found, 'utf8'));
rmSync(out, { recursive: true });

/** Least squares: by how much the values grow per hour. */
function fitSlope(points) {
  const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;
  const [x, y] = [mean(points.map(([hours]) => hours)), mean(points.map(([, value]) => value))];
  const over = points.reduce((sum, [hours, value]) => sum + (hours - x) * (value - y), 0);
  const under = points.reduce((sum, [hours]) => sum + (hours - x) ** 2, 0);
  return under === 0 ? 0 : over / under;
}

const WHAT = { heapMiB: 'heap, MiB', rssMiB: 'RSS, MiB', handles: 'handles', descriptors: 'descriptors' };
const MOST_SHARE = 0.01;
const LEAST_HOURS = 0.5;
const rows = [];
for (const part of new Set(samples.map((sample) => sample.part))) {
  const ofPart = samples.filter((sample) => sample.part === part);
  const late = ofPart.slice(Math.floor(ofPart.length / 2));
  for (const [key, name] of Object.entries(WHAT)) {
    const slope = fitSlope(late.map((sample) => [sample.hours, sample[key]]));
    const [first, last] = [ofPart[0][key], ofPart.at(-1)[key]];
    rows.push([part, name, first.toFixed(1), last.toFixed(1), slope.toFixed(2)]);
    const hours = late.at(-1).hours - late[0].hours;
    if (hours < LEAST_HOURS / 2 || slope <= last * MOST_SHARE) continue;
    process.stderr.write(`${part}: ${name} grows by ${slope.toFixed(2)} an hour\n`);
    process.exitCode = 1;
  }
}
for (const row of rows) process.stdout.write(`${row.join('  ')}\n`);
writeTable('soak', ['part', 'what', 'first', 'last', 'slope per hour'], rows);
