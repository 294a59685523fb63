import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closeAfterTest } from '../closing.js';
import { Chaos, type ChaosOptions } from './chaos.js';
import { judge } from './judge.js';
import { startPrepared } from './server.js';

const { CHAOS_OUT: OUT, CHAOS_OPTIONS: GIVEN } = process.env;

/**
 * A third of a minute with 20 tenants, in `npm run campaign` and `npm run test:all`; `npm run fleet-chaos` sets other
 * options.
 */
const OPTIONS: Omit<ChaosOptions, 'folder' | 'server' | 'onEvent'> = {
  ...{ seed: 41, minutes: 0.35, tenants: 20, daemons: 3, every: 1, pushes: true, orders: true },
  ...{ between: [0.5, 2], awaySeconds: 3, stoppedSeconds: [3, 15], calmAfterSeconds: 8 },
  first: ['HR file', 'kill', 'HR file', 'push', 'restart PostgreSQL', 'push', 'stop'],
  ...(GIVEN === undefined ? {} : JSON.parse(GIVEN)),
};

test('does everything once with daemons on one PostgreSQL, whatever is killed, stopped or unavailable', {
  timeout: 6 * 3_600_000,
}, async () => {
  const server = await startPrepared();
  closeAfterTest(server);
  const folder = mkdtempSync(join(tmpdir(), 'fleet-'));
  closeAfterTest({ close: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }) });
  const onEvent = (text: string): void => {
    if (OUT !== undefined) process.stdout.write(`${text}\n`);
  };
  const chaos = new Chaos({ ...OPTIONS, folder, server, onEvent });
  closeAfterTest(chaos);
  const played = await chaos.play();
  const { every } = OPTIONS;
  const verdict = await judge(played, { folder, url: server.url, every, spreadMs: Math.min(every * 30_000, 60_000) });
  const report = { ...verdict, events: Object.fromEntries(played.events) };
  if (OUT !== undefined) writeFileSync(OUT, JSON.stringify(report));
  expect(verdict.violations).toEqual([]);
  expect(verdict.counts['POSTs seen']).toBeGreaterThanOrEqual(OPTIONS.tenants * 25);
});
