import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { IS_THOROUGH } from '../depth.js';
import { openReceiver } from '../operations/notify/receiver.js';
import { person } from '../scenarios/company.js';
import { openIdp } from '../scenarios/idp.js';
import { openFleet, type TenantSetup } from './fleet.js';
import { judgeGrowth, type Sample } from './growth.js';
import { startSoaked } from './soaked-daemon.js';

const { SOAK_OUT, SOAK_MINUTES = '0', SOAK_TENANTS = IS_THOROUGH ? '20' : '3' } = process.env;
const MINUTES = Number(SOAK_MINUTES);
const TENANTS = Number(SOAK_TENANTS);
const HOURS = IS_THOROUGH ? 24 : 3;

test('a daemon with many tenants holds no more in the evening than in the morning', {
  timeout: 1_200_000 + MINUTES * 60_000,
}, async () => {
  const [idp, watch] = [await openIdp([]), await openReceiver()];
  const fleet = await openFleet('2026-03-02T00:00:30Z');
  fleet.env.IDP_TOKEN = 'idp-token';
  const ids = Array.from({ length: 20 }, (_, at) => `E${at}`);
  const tenants: TenantSetup[] = [];
  for (let index = 0; index < TENANTS; index++) {
    const tenant = await fleet.addTenant(`t${index}`, {
      // Each tenant is due again an hour later, however long the others take, and a slow machine must not look like a
      // slow service.
      schedule: { every: '0 * * * *' },
      service: { timeout: '60s' },
      sources: { idp: { type: 'scim', base_url: idp.url, auth: { bearer: { env: 'IDP_TOKEN' } } } },
      users: { enrich: { idp: { join: 'idp.externalId == hr.id' } }, fields: { title: { en: 'idp.?title' } } },
      notify: { dead_man: { url: `${watch.url}/watch`, private_addresses: 'allowed' } },
    });
    tenant.deliver(ids.map((id) => person(id)));
    tenants.push(tenant);
  }
  const daemon = await startSoaked(fleet, TENANTS);
  const samples: Sample[] = [];
  const beganMs = performance.now();
  const spentHours = (): number => (performance.now() - beganMs) / 3_600_000;
  for (let hour = 1; hour <= HOURS || spentHours() < MINUTES / 60; hour++) {
    // One person gets another title, so that each run sends a call and adds to the audit.
    idp.accounts = ids.map((id, at) => ({ id, externalId: id, title: at === 0 ? `Title ${hour}` : 'Engineer' }));
    fleet.clock.advance(3_600_000);
    await daemon.run(TENANTS);
    expect(tenants.map((tenant) => tenant.takeWrites() > 0)).not.toContain(false);
    // The sandboxes' memory of past calls is not the daemon's, but it slows them down.
    fleet.forget();
    const held = await daemon.hold();
    if (hour <= HOURS) samples.push({ part: 'simulated day', hours: hour, ...held });
    if (MINUTES > 0) samples.push({ part: 'real time', hours: spentHours(), ...held });
    // This keeps the results if the daemon dies before the end.
    if (SOAK_OUT !== undefined) writeFileSync(SOAK_OUT, JSON.stringify(judgeGrowth(samples)));
  }
  const growths = judgeGrowth(samples);
  // In a few rounds, the daemon only compiles code and fills caches.
  if (IS_THOROUGH) expect(growths.filter(({ isTooMuch }) => isTooMuch)).toEqual([]);
  const [early, late] = [samples[1], samples.at(-1)];
  expect(late?.descriptors).toBeLessThan((early?.descriptors ?? 0) + TENANTS);
  expect(late?.handles).toBeLessThan((early?.handles ?? 0) + TENANTS);
});
