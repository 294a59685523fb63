import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from '../scenarios/company.js';
import { waitUntil } from './daemon-process.js';
import { type Fleet, openFleet, type TenantSetup } from './fleet.js';

const START = '2026-06-01T09:59:30Z';

/** One work slot. All calls to the first tenant's service hang and ignore signals until they are released. */
async function openHung() {
  const fleet = await openFleet(START);
  const [hung, well] = [await fleet.addTenant('hung', {}), await fleet.addTenant('well', {})];
  hung.deliver([person('H1')]);
  well.deliver([person('W1')]);
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const daemon = fleet.openDaemon({
    parallel: 1,
    async fetch(url, init) {
      if (String(url).startsWith(hung.sandbox.url)) await held;
      return globalThis.fetch(url, init);
    },
  });
  await daemon.start();
  await daemon.idle();
  fleet.clock.set('2026-06-01T10:00:00Z');
  daemon.tick();
  await waitUntil('the first run has begun', () => told(fleet, 'run starts').length === 1);
  return { fleet, hung, well, daemon, letGo };
}

function told(fleet: Fleet, msg: string): readonly (string | undefined)[] {
  return fleet.log.flatMap((line) => (line.msg === msg ? [line.tenant] : []));
}

function peopleOf({ sandbox }: TenantSetup): number {
  return (sandbox.state().users as readonly unknown[]).length;
}

test('a hanging run loses its work slot to other tenants, and ends normally once it continues', async () => {
  const { fleet, hung, well, daemon, letGo } = await openHung();
  fleet.clock.set('2026-06-01T10:14:00Z');
  daemon.tick();
  expect(told(fleet, 'run starts')).toEqual(['hung']);
  fleet.clock.set('2026-06-01T10:15:00Z');
  daemon.tick();
  await waitUntil('the other has run', () => told(fleet, 'run ended').length === 1);
  expect(peopleOf(well)).toBe(1);
  expect(fleet.log.filter(({ level }) => level === 'warn')).toMatchObject([{ tenant: 'hung', minutes: 15 }]);
  expect(await fleet.metric('talent_sync_run_active', { tenant: 'hung' })).toBe(1);

  letGo();
  await daemon.idle();
  expect(told(fleet, 'run ended')).toEqual(['well', 'hung']);
  expect(peopleOf(hung)).toBe(1);
  // The missed slot is made up for, and the work slot that was lost does not count twice.
  await fleet.walk(daemon, '2026-06-01T10:16:00Z');
  const story = fleet.log.filter(({ msg }) => msg === 'run starts' || msg === 'run ended').map(({ msg }) => msg);
  await fleet.walk(daemon, '2026-06-01T10:30:00Z');
  expect(fleet.log.filter(({ msg }) => /^run (starts|ended)/.test(msg)).slice(story.length)).toMatchObject([
    { msg: 'run starts', tenant: 'hung' },
    { msg: 'run ended', tenant: 'hung' },
    { msg: 'run starts', tenant: 'well' },
    { msg: 'run ended', tenant: 'well' },
  ]);
});

sweep('does not run a tenant whose configuration was removed while it waited for its turn', async () => {
  const { fleet, well, daemon, letGo } = await openHung();
  rmSync(well.file);
  daemon.reload();
  letGo();
  await daemon.idle();
  expect(told(fleet, 'run ended')).toEqual(['hung']);
  expect(peopleOf(well)).toBe(0);
});
