import { expect, test } from 'vitest';
import type { Daemon } from '../../src/daemon/daemon.js';
import type { TenantOperation } from '../../src/operations/operation.js';
import { PAUSE, RESUME } from '../../src/operations/pause.js';
import { closeAfterTest } from '../closing.js';
import { sweep } from '../depth.js';
import { person } from '../scenarios/company.js';
import { type Fleet, openFleet } from './fleet.js';
import { openRemoteFleet, startPrepared } from './remote-fleet.js';

/** Gives an order as an operator does on the pages of a daemon. */
async function order<Input>(
  daemon: Daemon,
  { clock, logger }: Pick<Fleet, 'clock' | 'logger'>,
  operation: TenantOperation<Input, unknown>,
  input: Input,
) {
  await daemon.bringUp('acme');
  const config = daemon.configOf('acme');
  if (config === null) throw new Error('it has no configuration');
  const who = { by: 'jane@example.com', via: 'person' as const, holder: 'pages' };
  return daemon.perform('acme', operation, { config, clock, logger, ...who }, input);
}

test('starts nothing for a paused tenant, says so, and makes up for the pause with one run', async () => {
  const fleet = await openFleet('2026-06-01T09:59:30Z');
  const acme = await fleet.addTenant('acme', { schedule: { on_change: true } });
  acme.deliver([person('A1')]);
  const daemon = fleet.openDaemon();
  await daemon.start();
  await daemon.idle();
  await order(daemon, fleet, PAUSE, { until: '2026-06-01T12:00:00Z', reason: 'payroll' });
  await fleet.walk(daemon, '2026-06-01T10:31:00Z');
  daemon.signals.signal({ tenant: 'acme', source: 'hr', kind: 'file' });
  await fleet.walk(daemon, '2026-06-01T10:40:00Z');
  await expect(daemon.ask('acme', 'run', 'kim@example.com')).rejects.toMatchObject({ code: 'SYNC_PAUSED' });
  await expect(daemon.ask('acme', 'plan', 'kim@example.com')).rejects.toMatchObject({ code: 'SYNC_PAUSED' });
  expect(acme.sandbox.calls()).toEqual([]);
  expect(daemon.list()[0]?.status?.nextMs).toBe(Date.parse('2026-06-01T12:00:00Z'));
  expect(await fleet.metric('talent_sync_paused_seconds', { tenant: 'acme' })).toBe(80 * 60);
  await order(daemon, fleet, RESUME, { reason: 'done' });
  await fleet.walk(daemon, '2026-06-01T10:42:00Z');
  expect(acme.takeWrites()).toBe(1);
  expect(await fleet.metric('talent_sync_paused_seconds', { tenant: 'acme' })).toBe(0);
});

test('keeps a pause ordered by another process, also after a restart of the daemon', async () => {
  const fleet = await openFleet('2026-06-01T09:59:30Z');
  const acme = await fleet.addTenant('acme', {});
  acme.deliver([person('A1')]);
  const before = fleet.openDaemon();
  await before.start();
  await before.idle();
  const config = before.configOf('acme');
  if (config === null) throw new Error('it has no configuration');
  const word = { config, clock: fleet.clock, by: 'jane', via: 'machine' as const };
  await PAUSE.perform(word, { until: '2026-06-01T10:20:00Z', reason: 'payroll' });
  await fleet.walk(before, '2026-06-01T10:10:00Z');
  await before.stop();
  const daemon = fleet.openDaemon();
  await daemon.start();
  await fleet.walk(daemon, '2026-06-01T10:19:00Z');
  expect([acme.takeWrites(), fleet.log.filter(({ level }) => level === 'error')]).toEqual([0, []]);
  await fleet.walk(daemon, '2026-06-01T10:20:00Z');
  expect(acme.takeWrites()).toBe(1);
});

sweep('with PostgreSQL, any daemon pauses a tenant for all daemons, and any daemon resumes it', async () => {
  const server = await startPrepared();
  closeAfterTest(server);
  const { fleet, openMachine, openNode, wait } = await openRemoteFleet(server, '2037-11-21T08:00:30Z');
  const acme = await fleet.addTenant('acme', {});
  const [a, b] = [await openNode('a'), await openNode('b')];
  const desk = openMachine('desk');
  await a.claim();
  acme.deliver([person('E1')]);
  a.keepClaiming();
  // The end must also lie in the future by PostgreSQL's clock.
  await order(b.daemon, fleet, PAUSE, { until: '2099-01-01', reason: 'payroll' });
  fleet.clock.set('2037-11-21T08:15:10Z');
  await wait();
  await b.claim();
  expect((await server.ask('SELECT paused_until FROM tenant'))[0]).toEqual({ paused_until: new Date('2099-01-01') });
  expect(acme.sandbox.calls()).toEqual([]);
  const typed = await desk.type('sync');
  expect([typed.code, typed.stdout]).toEqual([0, expect.stringContaining('paused by jane@example.com')]);
  await order(b.daemon, fleet, RESUME, { reason: 'done' });
  await expect.poll(() => acme.takeWrites(), { timeout: 10_000 }).toBe(1);
});
