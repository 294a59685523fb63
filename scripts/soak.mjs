// Checks if a daemon's memory grows. Simulates a day of twenty tenants, followed by some real minutes. Records the memory of
// the daemon after each hour of its clock (test/daemon/soak.sweep.test.ts). Writes the slopes into
// docs/engineering/reliability.md, and fails if a slope is too steep (test/daemon/growth.ts).
// Usage: npm run soak -- [--minutes 60] [--tenants 20]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeTable } from './reliability.mjs';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, tenants: { type: 'string', default: '20' } },
});
const out = mkdtempSync(join(tmpdir(), 'talent-sync-soak-'));
const found = join(out, 'growths.json');
const vitest = new URL('../node_modules/vitest/vitest.mjs', import.meta.url).pathname;
const args = ['run', '--mode', 'all', '--maxWorkers=1', 'test/daemon/soak.sweep.test.ts'];
const { status } = spawnSync(process.execPath, [vitest, ...args], {
  env: { ...process.env, SOAK_OUT: found, SOAK_MINUTES: values.minutes, SOAK_TENANTS: values.tenants },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
if (existsSync(found)) {
  /** @type {{ part: string, what: string, first: number, last: number, slopePerHour: number }[]} */
  const growths = JSON.parse(readFileSync(found, 'utf8'));
  const rows = growths.map(({ part, what, first, last, slopePerHour }) => [
    part,
    what,
    first.toFixed(1),
    last.toFixed(1),
    slopePerHour.toFixed(2),
  ]);
  for (const row of rows) process.stdout.write(`${row.join('  ')}\n`);
  writeTable('soak', ['part', 'what', 'first', 'last', 'slope per hour'], rows);
}
rmSync(out, { recursive: true });
