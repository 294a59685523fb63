import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openFleet } from '../daemon/fleet.js';
import { slotsOf } from '../daemon/slots.js';
import { person } from '../scenarios/company.js';

/** The day on which summer time ends in Europe: 25 hours in Oslo, and each tenant sees it differently. */
const DAY = { from: '2026-10-24T21:59:30Z', to: '2026-10-25T23:59:00Z' };

const TENANTS = [
  { name: 'quarters', schedule: { every: '*/15 * * * *', timezone: 'Europe/Oslo' }, runs: 104 },
  { name: 'hours', schedule: { every: '7 * * * *', timezone: 'America/New_York' }, runs: 26 },
  // 02:30 occurs twice in Oslo that night, and once in Tokyo.
  { name: 'night', schedule: { every: '30 2 * * *', timezone: 'Europe/Oslo' }, runs: 1 },
  { name: 'tokyo', schedule: { every: '30 2 * * *', timezone: 'Asia/Tokyo' }, runs: 1 },
  { name: 'office', schedule: { every: '0 8-16/2 * * *', timezone: 'UTC' }, runs: 5 },
] as const;

function openHandles(): { readonly files: number; readonly resources: number } {
  return { files: readdirSync('/proc/self/fd').length, resources: process.getActiveResourcesInfo().length };
}

test('runs once for every slot of a day with five tenants, misses none, and leaves nothing open', async () => {
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
  // Sockets kept alive for a moment vary. A leak grows with each of the hundred runs in between.
  expect(late.files).toBeLessThan(early.files + 10);
  expect(late.resources).toBeLessThan(early.resources + 10);
});
