import { expect, test, vi } from 'vitest';
import { closeAfterTest } from '../closing.js';
import { openReceiver } from '../operations/notify/receiver.js';
import { person } from '../scenarios/company.js';
import { openIdp } from '../scenarios/idp.js';
import { openFleet } from './fleet.js';

test('no call of a run is tied to a signal that outlives the run', async () => {
  const [idp, watch] = [await openIdp([{ id: 'a1', externalId: 'E1', title: 'Engineer' }]), await openReceiver()];
  const fleet = await openFleet('2026-06-01T09:59:00Z');
  fleet.env.IDP_TOKEN = 'idp-token';
  const tenant = await fleet.addTenant('acme', {
    sources: { idp: { type: 'scim', base_url: idp.url, auth: { bearer: { env: 'IDP_TOKEN' } } } },
    users: { enrich: { idp: { join: 'idp.externalId == hr.id' } }, fields: { title: { en: 'idp.?title' } } },
    notify: { dead_man: { url: `${watch.url}/watch`, private_addresses: 'allowed' } },
  });
  tenant.deliver([person('E1')]);
  const join = vi.spyOn(AbortSignal, 'any');
  closeAfterTest({ close: () => join.mockRestore() });
  const daemon = fleet.openDaemon();
  await daemon.start();
  const tied: ReadonlySet<AbortSignal>[] = [];
  for (const at of ['10:01', '10:16', '10:31']) {
    await fleet.walk(daemon, `2026-06-01T${at}:00Z`);
    tied.push(new Set(join.mock.calls.flatMap(([signals]) => [...signals])));
    join.mockClear();
  }
  expect(watch.pings).toHaveLength(3);
  expect(tied.map(({ size }) => size > 2)).toEqual([true, true, true]);
  const all = tied.flatMap((signals) => [...signals]);
  expect(new Set(all).size).toBe(all.length);
});
