import { expect, test } from 'vitest';
import { acquireRunLock } from '../../../src/store/run-lock.js';
import { waitUntil } from '../../daemon/daemon-process.js';
import { openFleet } from '../../daemon/fleet.js';
import { sweep } from '../../depth.js';
import { person } from '../../scenarios/company.js';
import { HANGS, openReceiver } from './receiver.js';

const PEOPLE = ['E1', 'E2', 'E3', 'E4', 'E5', 'E6'];
const LEFT = PEOPLE.map((id, index) => person(id, index < 5 ? { status: 'left' } : {}));

async function openNotifiedFleet() {
  const fleet = await openFleet('2026-06-01T09:59:00Z');
  const receiver = await openReceiver();
  const tenant = await fleet.addTenant('acme', {
    guards: { users: { deactivate: { max: 2 } } },
    notify: {
      remind_after: '1h',
      channels: { ops: receiver.channel },
      dead_man: { url: `${receiver.url}/watch`, private_addresses: 'allowed' },
    },
  });
  tenant.deliver(PEOPLE.map((id) => person(id)));
  const daemon = fleet.openDaemon();
  await daemon.start();
  await fleet.walk(daemon, '2026-06-01T10:01:00Z');
  return { fleet, receiver, tenant, daemon };
}

test('sends messages after runs, retries between them, reminds, and counts', async () => {
  const { fleet, receiver, tenant, daemon } = await openNotifiedFleet();
  expect(receiver.pings).toEqual(['GET /watch']);
  tenant.deliver(LEFT);
  receiver.status = 503;
  await fleet.walk(daemon, '2026-06-01T10:15:00Z');
  expect(receiver.tried).toHaveLength(1);
  expect(await fleet.metric('talent_sync_messages_waiting', { tenant: 'acme', channel: 'ops' })).toBe(1);
  // After 1, 2 and 4 minutes.
  await fleet.walk(daemon, '2026-06-01T10:24:00Z');
  expect(receiver.tried).toHaveLength(4);
  receiver.status = 200;
  await fleet.walk(daemon, '2026-06-01T10:31:00Z');
  expect(receiver.take()).toEqual(['began 5 people to deactivate, held for an approval']);
  expect(new Set(receiver.tried.map(({ id }) => id)).size).toBe(1);
  expect(receiver.tried[0]).toMatchObject({ tenant: 'acme', link: null });
  expect(await fleet.metric('talent_sync_messages_waiting', { tenant: 'acme', channel: 'ops' })).toBe(0);
  expect(await fleet.metric('talent_sync_messages_sent_total', { tenant: 'acme', channel: 'ops' })).toBe(1);
  expect(await fleet.metric('talent_sync_messages_failed_total', { tenant: 'acme', channel: 'ops' })).toBe(4);
  await fleet.walk(daemon, '2026-06-01T11:20:00Z');
  expect(receiver.take()).toEqual(['reminder Still: 5 people to deactivate, held for an approval']);
  tenant.deliver(PEOPLE.map((id) => person(id)));
  await fleet.walk(daemon, '2026-06-01T11:31:00Z');
  expect(receiver.take()).toEqual(['ended Ended: 5 people to deactivate, held for an approval']);
});

sweep('reports a rejected configuration by the active one, and its end once, also across a restart', async () => {
  const { fleet, receiver, tenant, daemon } = await openNotifiedFleet();
  tenant.configure({ policy: 'nonsense' });
  await fleet.walk(daemon, '2026-06-01T10:04:00Z');
  const refused = 'Configuration: rejected; the earlier one, if any, stays active';
  expect(receiver.take()).toEqual([`began ${refused}`]);
  tenant.configure({ policy: 'sync' });
  await daemon.stop();
  const second = fleet.openDaemon();
  await second.start();
  await fleet.walk(second, '2026-06-01T10:08:00Z');
  // The result of the next run is still unknown.
  expect(receiver.take()).toEqual([]);
  await fleet.walk(second, '2026-06-01T10:16:00Z');
  expect(receiver.take()).toEqual([`ended Ended: ${refused}`]);
});

sweep('reports an unreachable service as failing runs', async () => {
  const { fleet, receiver, tenant, daemon } = await openNotifiedFleet();
  const url = tenant.sandbox.url;
  tenant.configure({ service: { base_url: 'http://127.0.0.1:1', rate_limit: { give_up_after: '1s' } } });
  await fleet.walk(daemon, '2026-06-01T10:17:00Z');
  expect(receiver.take()).toEqual(['began Runs: failing']);
  tenant.configure({ service: { base_url: url } });
  await fleet.walk(daemon, '2026-06-01T10:31:00Z');
  expect(receiver.take()).toEqual(['ended Ended: Runs: failing']);
});

test('a hanging channel delays neither the run lock nor a stop, and gets the message afterwards', async () => {
  const { fleet, receiver, tenant, daemon } = await openNotifiedFleet();
  tenant.configure({ notify: { channels: { ops: { timeout: '10m' } } } });
  await fleet.walk(daemon, '2026-06-01T10:05:00Z');
  tenant.deliver(LEFT);
  receiver.status = HANGS;
  fleet.clock.set('2026-06-01T10:15:00Z');
  daemon.tick();
  await waitUntil('the message is on its way', () => receiver.tried.length === 1);
  // The state is free, so a person may plan and apply meanwhile.
  acquireRunLock(`${fleet.folder}/state/acme`, 'somebody').close();
  await daemon.stop();
  receiver.status = 200;
  fleet.clock.set('2026-06-01T10:20:00Z');
  const second = fleet.openDaemon();
  await second.start();
  await second.idle();
  expect(receiver.take()).toEqual(['began 5 people to deactivate, held for an approval']);
  expect(new Set(receiver.tried.map(({ id }) => id)).size).toBe(1);
});
