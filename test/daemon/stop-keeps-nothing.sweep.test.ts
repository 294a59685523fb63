import { getEventListeners } from 'node:events';
import { expect, test, vi } from 'vitest';
import { closeAfterTest } from '../closing.js';
import { openReceiver } from '../operations/notify/receiver.js';
import { person } from '../scenarios/company.js';
import { openIdp } from '../scenarios/idp.js';
import { openFleet } from './fleet.js';

test('ties no call of a run to a signal that outlives the run', async () => {
  const [idp, watch] = [await openIdp([{ id: 'a1', externalId: 'E1', title: 'Engineer' }]), await openReceiver()];
  const fleet = await openFleet('2026-06-01T09:59:00Z');
  fleet.env.IDP_TOKEN = 'idp-token';
  const tenant = await fleet.addTenant('acme', {
    sources: { idp: { type: 'scim', base_url: idp.url, auth: { bearer: { env: 'IDP_TOKEN' } } } },
    users: { enrich: { idp: { join: 'idp.externalId == hr.id' } }, fields: { title: { en: 'idp.?title' } } },
    notify: { dead_man: { url: `${watch.url}/watch`, private_addresses: 'allowed' } },
  });
  tenant.deliver([person('E1')]);
  const listen = vi.spyOn(EventTarget.prototype, 'addEventListener');
  closeAfterTest({ close: () => listen.mockRestore() });
  const join = vi.spyOn(AbortSignal, 'any');
  closeAfterTest({ close: () => join.mockRestore() });
  const daemon = fleet.openDaemon();
  await daemon.start();
  const watched: ReadonlySet<AbortSignal>[] = [];
  const lengths: (readonly number[])[] = [];
  for (const at of ['10:01', '10:16', '10:31', '10:46']) {
    listen.mockClear();
    await fleet.walk(daemon, `2026-06-01T${at}:00Z`);
    const signals = listen.mock.contexts.filter((target) => target instanceof AbortSignal);
    watched.push(new Set(signals));
    // A signal that a later run also listens to has outlived the first run.
    const outliving = [...(watched[0] ?? [])].filter((signal) => watched[1]?.has(signal));
    lengths.push(outliving.map((signal) => getEventListeners(signal, 'abort').length));
  }
  expect(watch.pings).toHaveLength(4);
  expect(watched.map(({ size }) => size > 5)).toEqual([true, true, true, true]);
  expect(lengths[1]?.length).toBeGreaterThan(0);
  expect(lengths[3]).toEqual(lengths[1]);
  // Node.js 20 leaks memory for each `any` as long as the signals it was made of exist.
  expect(join).not.toHaveBeenCalled();
});
