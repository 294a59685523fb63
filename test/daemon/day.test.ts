import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { person } from '../scenarios/company.js';
import { type Fleet, openFleet } from './fleet.js';

/** The day on which summer time ends in Europe: 25 hours in Oslo, and each tenant sees it in its own way. */
const DAY = { from: '2026-10-24T21:59:30Z', to: '2026-10-25T23:59:00Z' };

const TENANTS = [
  { name: 'quarters', schedule: { every: '*/15 * * * *', timezone: 'Europe/Oslo' }, runs: 104 },
  { name: 'hours', schedule: { every: '7 * * * *', timezone: 'America/New_York' }, runs: 26 },
  // 02:30 comes twice in Oslo that night, and once in Tokyo.
  { name: 'night', schedule: { every: '30 2 * * *', timezone: 'Europe/Oslo' }, runs: 1 },
  { name: 'tokyo', schedule: { every: '30 2 * * *', timezone: 'Asia/Tokyo' }, runs: 1 },
  { name: 'office', schedule: { every: '0 8-16/2 * * *', timezone: 'UTC' }, runs: 5 },
] as const;

function slotsOf(fleet: Fleet, tenant: string): readonly string[] {
  return fleet.log.filter((one) => one.msg === 'run starts' && one.tenant === tenant).map(({ slot }) => String(slot));
}

function openHandles(): { readonly files: number; readonly resources: number } {
  return { files: readdirSync('/proc/self/fd').length, resources: process.getActiveResourcesInfo().length };
}

test('a day of five tenants: every slot is run for once, none is missed, and nothing is left open', async () => {
  const fleet = await openFleet(DAY.from);
  for (const { name, schedule } of TENANTS) {
    const tenant = await fleet.addTenant(name, { schedule });
    tenant.deliver([person('E1'), person('E2')]);
  }
  const daemon = fleet.openDaemon();
  await daemon.start();
  await daemon.idle();
  await fleet.walk(daemon, '2026-10-24T23:59:00Z');
  const early = openHandles();
  await fleet.walk(daemon, DAY.to);
  const late = openHandles();

  for (const { name, runs } of TENANTS) {
    const slots = slotsOf(fleet, name);
    expect([name, slots.length, new Set(slots).size]).toEqual([name, runs, runs]);
    expect(await fleet.metric('talent_sync_runs_total', { tenant: name, result: 'done' })).toBe(runs);
    expect(await fleet.metric('talent_sync_slots_missed_total', { tenant: name })).toBe(0);
    expect(await fleet.metric('talent_sync_changes_total', { tenant: name, action: 'create', result: 'done' })).toBe(2);
  }
  expect(slotsOf(fleet, 'night')).toEqual(['2026-10-25T00:30:00.000Z']);
  expect(slotsOf(fleet, 'tokyo')).toEqual(['2026-10-25T17:30:00.000Z']);
  expect(fleet.log.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  // Sockets that are kept alive for a moment come and go; what leaks grows with each of the hundred runs in between.
  expect(late.files).toBeLessThan(early.files + 10);
  expect(late.resources).toBeLessThan(early.resources + 10);
});

test('a daemon stopped for hours makes up for them with one run, and says how many slots there were', async () => {
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

test('a clock that jumps back and forth neither doubles a run nor silences the tenant', async () => {
  const fleet = await openFleet('2026-06-01T09:59:00Z');
  (await fleet.addTenant('acme', {})).deliver([person('E1')]);
  const daemon = fleet.openDaemon();
  await daemon.start();
  await fleet.walk(daemon, '2026-06-01T10:15:00Z');
  // Ten seconds back, over the slot that was just run for.
  fleet.clock.set('2026-06-01T10:14:50Z');
  await fleet.walk(daemon, '2026-06-01T10:29:00Z');
  expect(slotsOf(fleet, 'acme')).toHaveLength(2);
  // Five hours back: goes on from there.
  fleet.clock.set('2026-06-01T05:01:00Z');
  await fleet.walk(daemon, '2026-06-01T05:31:00Z');
  expect(slotsOf(fleet, 'acme').slice(2)).toEqual(['2026-06-01T05:15:00.000Z', '2026-06-01T05:30:00.000Z']);
});

test('tenants of one schedule start apart, each at its own time after the slot, and nobody loses one', async () => {
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
