import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPushSources } from '../../src/daemon/tenants/push-sources.js';
import { openHealthServer } from '../../src/daemon/web/health-server.js';
import { openStores } from '../../src/store/open-stores.js';
import { closeAfterTest } from '../closing.js';
import { openFleet } from '../daemon/fleet.js';
import { sweep } from '../depth.js';

const START = '2026-06-01T09:59:30Z';
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** A daemon with one tenant whose people Entra ID pushes, and the requests of Entra ID. */
async function openEntra(key = 'externalId', columns = {}, fields = {}) {
  const fleet = await openFleet(START);
  fleet.env.ENTRA_OLD = 'old-token';
  fleet.env.ENTRA_NEW = 'new-token';
  const tenant = await fleet.addTenant('acme', {
    sources: { entra: { type: 'scim-push', tokens: [{ env: 'ENTRA_OLD' }, { env: 'ENTRA_NEW' }], key, ...columns } },
    users: {
      existence: 'entra',
      leaver: { when: 'record.active == false', after_missing_reads: 1 },
      fields: {
        external_unique_id: 'record.?externalId',
        email: 'record.?email',
        name: 'record.?displayName',
        office: { country: '"no"', name: '"Oslo"' },
        ...fields,
        roles:
          '"Chiefs" in record.?groups.orValue([]) ? ["internationalmanager"] : "Managers" in record.?groups.orValue([]) ? ["consultant", "bidmanager"] : ["consultant"]',
      },
    },
  });
  const daemon = fleet.openDaemon();
  const sources = createPushSources(() => daemon.list());
  const server = await openHealthServer({
    host: '127.0.0.1',
    port: 0,
    token: null,
    health: { whyDead: () => null, whyNotReady: () => [] },
    metrics: fleet.metrics,
    receiver: { find: sources.find, proxies: sources.proxies, clock: fleet.clock, onRequest: fleet.metrics.onPush },
  });
  closeAfterTest({
    async close() {
      await server.close();
      sources.close();
    },
  });
  let minutes = 0;
  return {
    fleet,
    tenant,
    daemon,
    async push(method: string, path: string, body?: unknown, token = 'new-token') {
      const response = await fetch(`${server.url}/scim/v2${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, json: (text === '' ? {} : JSON.parse(text)) as { readonly id: string } };
    },
    /** Waits until the next run has ended. */
    async run() {
      await fleet.walk(
        daemon,
        `2026-06-01T${String(10 + Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}:00Z`,
      );
      minutes += 15;
    },
    people: () =>
      Object.fromEntries(
        (tenant.sandbox.state().users as readonly { name: string; deactivated: boolean }[]).map(
          ({ name, deactivated }) => [name, deactivated ? 'deactivated' : 'active'],
        ),
      ),
  };
}

function entraUser(n: number): object {
  return {
    schemas: [USER, ENTERPRISE],
    externalId: `oid-${n}`,
    userName: `user${n}@example.com`,
    displayName: `User ${n}`,
    active: true,
    emails: [{ primary: true, type: 'work', value: `user${n}@example.com` }],
    meta: { resourceType: 'User' },
    [ENTERPRISE]: { department: 'Oslo' },
  };
}

test('creates people from Entra ID, deactivates them by active=False and by a delete, and takes them back', async () => {
  const { fleet, daemon, push, run, people, tenant } = await openEntra();
  expect((await push('GET', '/entra/Users')).status).toBe(401);
  await daemon.start();
  await daemon.idle();
  // Connection test, lookup and create, in the order of Entra ID.
  expect((await push('GET', '/entra/Users?filter=userName eq "test"')).status).toBe(200);
  const ids = await Promise.all([1, 2, 3].map(async (n) => (await push('POST', '/entra/Users', entraUser(n))).json.id));
  await run();
  expect(people()).toEqual({ 'User 1': 'active', 'User 2': 'active', 'User 3': 'active' });
  tenant.takeWrites();

  const off = { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] };
  expect((await push('PATCH', `/acme/entra/Users/${ids[0]}`, off, 'old-token')).status).toBe(200);
  expect((await push('DELETE', `/entra/Users/${ids[1]}`)).status).toBe(204);
  await run();
  expect(people()).toEqual({ 'User 1': 'deactivated', 'User 2': 'deactivated', 'User 3': 'active' });
  expect(tenant.takeWrites()).toBe(2);
  await run();
  expect(tenant.takeWrites()).toBe(0);

  const on = { Operations: [{ op: 'Replace', path: 'active', value: 'True' }] };
  await push('PATCH', `/entra/Users/${ids[0]}`, on);
  expect((await push('POST', '/entra/Users', entraUser(2))).status).toBe(201);
  await run();
  expect(people()).toEqual({ 'User 1': 'active', 'User 2': 'active', 'User 3': 'active' });
  expect(await fleet.metric('talent_sync_pushes_total', { source: 'entra', result: 'taken' })).toBe(7);
});

sweep('deactivates a person who is pushed as inactive with an invalid address', async () => {
  const { daemon, push, run, people } = await openEntra();
  await daemon.start();
  await daemon.idle();
  const ids = await Promise.all([1, 2, 3].map(async (n) => (await push('POST', '/entra/Users', entraUser(n))).json.id));
  await run();
  const address = { op: 'Replace', path: 'emails[type eq "work"].value', value: 'n/a' };
  const off = { op: 'Replace', path: 'active', value: 'False' };
  expect((await push('PATCH', `/entra/Users/${ids[0]}`, { Operations: [address, off] })).status).toBe(200);
  expect((await push('PATCH', `/entra/Users/${ids[1]}`, { Operations: [address] })).status).toBe(200);
  await run();
  expect(people()).toEqual({ 'User 1': 'deactivated', 'User 2': 'active', 'User 3': 'active' });
});

sweep('keeps a person who is deleted and pushed again with the key id, whenever the run comes', async () => {
  const { daemon, push, run, people, tenant } = await openEntra('id');
  await daemon.start();
  await daemon.idle();
  const first = (await push('POST', '/entra/Users', entraUser(1))).json.id;
  await push('POST', '/entra/Users', entraUser(2));
  await run();
  tenant.takeWrites();
  // Between two runs: nobody has left.
  await push('DELETE', `/entra/Users/${first}`);
  expect((await push('POST', '/entra/Users', entraUser(1))).json.id).toBe(first);
  await run();
  expect([people(), tenant.takeWrites()]).toEqual([{ 'User 1': 'active', 'User 2': 'active' }, 0]);
  // After the run that deactivated: the person is back, by two writes in all.
  await push('DELETE', `/entra/Users/${first}`);
  await run();
  expect(people()).toEqual({ 'User 1': 'deactivated', 'User 2': 'active' });
  await push('POST', '/entra/Users', entraUser(1));
  await run();
  expect([people(), tenant.takeWrites()]).toEqual([{ 'User 1': 'active', 'User 2': 'active' }, 2]);
});

sweep("brings the provider's own extension to the account as a declared column", async () => {
  const hr = 'urn:acme:params:hr:1.0:User';
  const desk = { type: 'string', optional: true, from: `/${hr}/desk/phone` };
  const { daemon, push, run, tenant } = await openEntra(
    'externalId',
    { columns: { desk } },
    { telephone: 'record.?desk' },
  );
  await daemon.start();
  await daemon.idle();
  const { id } = (await push('POST', '/entra/Users', { ...entraUser(1), [hr]: { desk: { phone: '+47 1' } } })).json;
  await push('POST', '/entra/Users', entraUser(2));
  await run();
  const phones = () =>
    (tenant.sandbox.state().users as readonly { telephone?: string | null }[]).map((user) => user.telephone ?? null);
  expect(phones()).toEqual(['+47 1', null]);
  await push('PATCH', `/entra/Users/${id}`, {
    Operations: [{ op: 'replace', path: `${hr}:desk.phone`, value: '+47 2' }],
  });
  await run();
  expect(phones()).toEqual(['+47 2', null]);
});

test('takes the last delete for a leaver, not an empty source, and gives a role but no power by a group', async () => {
  const { daemon, push, run, people, tenant } = await openEntra();
  await daemon.start();
  await daemon.idle();
  const { id } = (await push('POST', '/entra/Users', entraUser(1))).json;
  const group = await push('POST', '/entra/Groups', {
    displayName: 'Managers',
    externalId: 'g1',
    members: [{ value: id }],
  });
  expect(group.status).toBe(201);
  await run();
  const rolesOf = () => (tenant.sandbox.state().users as readonly { roles: readonly string[] }[])[0]?.roles;
  expect(rolesOf()).toContain('bidmanager');
  await push('POST', '/entra/Groups', { displayName: 'Chiefs', externalId: 'g2', members: [{ value: id }] });
  await run();
  expect(rolesOf()).not.toContain('internationalmanager');
  await push('DELETE', `/entra/Users/${id}`);
  await run();
  expect(people()).toEqual({ 'User 1': 'deactivated' });
});

sweep('deactivates nobody because a source was emptied without deletes', async () => {
  const { fleet, daemon, push, run, people } = await openEntra();
  await daemon.start();
  await daemon.idle();
  await push('POST', '/entra/Users', entraUser(1));
  await push('POST', '/entra/Users', entraUser(2));
  await run();
  // As after a restore of an older state: the rows are missing, and nobody reported a delete.
  const stores = openStores(join(fleet.folder, 'state', 'acme'));
  stores.erasure.erase('state', {
    isOwn: (_entity, key) => key === 'oid-2',
    isKnownAs: () => false,
    mentions: () => false,
    redact: (value) => value,
  });
  stores.close();
  await run();
  await run();
  expect(people()).toEqual({ 'User 1': 'active', 'User 2': 'active' });
});
