import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from '../scenarios/company.js';
import { openFleet } from './fleet.js';
import { slotsOf } from './slots.js';

test('a daemon stopped for hours makes up for the missed slots with one run, and counts them', async () => {
  const fleet = await openFleet('2026-06-01T09:59:00Z');
  const tenant = await fleet.addTenant('acme', {});
  tenant.deliver([person('E1')]);
  const first = fleet.openDaemon();
  await first.start();
  await fleet.walk(first, '2026-06-01T10:20:00Z');
  await first.stop();
  fleet.clock.set('2026-06-01T14:07:00Z');
  tenant.deliver([person('E1'), person('E2')]);
  const second = fleet.openDaemon();
  await second.start();
  await second.idle();
  expect(tenant.sandbox.state().users).toHaveLength(2);
  expect(slotsOf(fleet, 'acme')).toEqual([
    '2026-06-01T10:00:00.000Z',
    '2026-06-01T10:15:00.000Z',
    '2026-06-01T14:00:00.000Z',
  ]);
  expect(await fleet.metric('talent_sync_slots_missed_total', { tenant: 'acme' })).toBe(14);
  await fleet.walk(second, '2026-06-01T14:20:00Z');
  expect(slotsOf(fleet, 'acme').at(-1)).toBe('2026-06-01T14:15:00.000Z');
});

sweep("a clock that jumps back and forth neither repeats a run nor stops the tenant's runs", async () => {
  const fleet = await openFleet('2026-06-01T09:59:00Z');
  (await fleet.addTenant('acme', {})).deliver([person('E1')]);
  const daemon = fleet.openDaemon();
  await daemon.start();
  await fleet.walk(daemon, '2026-06-01T10:15:00Z');
  // Ten seconds back, across the slot of the last run.
  fleet.clock.set('2026-06-01T10:14:50Z');
  await fleet.walk(daemon, '2026-06-01T10:29:00Z');
  expect(slotsOf(fleet, 'acme')).toHaveLength(2);
  // Five hours back: the schedule continues from there.
  fleet.clock.set('2026-06-01T05:01:00Z');
  await fleet.walk(daemon, '2026-06-01T05:31:00Z');
  expect(slotsOf(fleet, 'acme').slice(2)).toEqual(['2026-06-01T05:15:00.000Z', '2026-06-01T05:30:00.000Z']);
});

sweep('starts tenants with the same schedule at different times after the slot, and skips none', async () => {
  const fleet = await openFleet('2026-06-01T09:59:30Z');
  const names = ['acme', 'north', 'south', 'west'];
  for (const name of names) {
    (await fleet.addTenant(name, { schedule: { every: '0 * * * *', spread: '10m' } })).deliver([person('E1')]);
  }
  const daemon = fleet.openDaemon();
  await daemon.start();
  const startsOf = async (toIso: string): Promise<Record<string, number>> => {
    const starts: Record<string, number> = {};
    const from = Date.parse(toIso) - 15 * 60_000;
    while (fleet.clock.now() < Date.parse(toIso)) {
      const before = fleet.log.length;
      fleet.clock.advance(5_000);
      daemon.poll();
      await daemon.idle();
      for (const { msg, tenant } of fleet.log.slice(before)) {
        if (msg === 'run starts') starts[String(tenant)] = fleet.clock.now() - from;
      }
    }
    return starts;
  };
  const first = await startsOf('2026-06-01T10:15:00Z');
  await fleet.walk(daemon, '2026-06-01T11:00:00Z');
  expect(await startsOf('2026-06-01T11:15:00Z')).toEqual(first);
  expect(Object.keys(first).toSorted()).toEqual(names);
  expect(new Set(Object.values(first)).size).toBe(names.length);
  for (const ms of Object.values(first)) expect(ms).toBeLessThanOrEqual(10 * 60_000 + 5_000);
  for (const name of names) {
    expect(slotsOf(fleet, name)).toEqual(['2026-06-01T10:00:00.000Z', '2026-06-01T11:00:00.000Z']);
  }
});
