import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPushSources } from '../../src/daemon/tenants/push-sources.js';
import { MIGRATIONS } from '../../src/store/migrate.js';
import { closeAfterTest } from '../closing.js';
import { sweep } from '../depth.js';
import { nextVersion } from '../older-state.js';
import type { Postgres } from '../postgres.js';
import { person } from '../scenarios/company.js';
import { EMPTY } from '../store/remote/remote-kit.js';
import { type FleetNode, type Machine, openRemoteFleet, startPrepared } from './remote-fleet.js';
import { openReceiver } from './web/scim/desk.js';

/* An older and a newer version side by side. Both are this program; the newer one has one more migration. */

/** Works like the version with these migrations. Nothing else may run meanwhile. */
async function as<T>(migrations: string, work: () => Promise<T>): Promise<T> {
  const { folder } = MIGRATIONS;
  MIGRATIONS.folder = migrations;
  try {
    return await work();
  } finally {
    MIGRATIONS.folder = folder;
  }
}

let server: Postgres;

beforeAll(async () => {
  server = await startPrepared();
});
afterAll(() => server?.close());
beforeEach(() => server.ask(EMPTY));

const START = '2037-11-21T08:00:30Z';
const WHO = 'approver@example.com';
const WEB = { listen: '127.0.0.1:0', state: '../web', roles: [{ role: 'approver', who: [WHO] }] };

/** The names of the copies made before a migration, without the schema. */
async function keptFiles(): Promise<readonly string[]> {
  const rows = await server.ask("SELECT name FROM file WHERE name LIKE '%@%' ORDER BY name");
  return rows.map(({ name }) => String(name).split('@')[0] ?? '');
}

/** Copies on a machine's disk from before a migration. An erasure would not find them. */
function listBackups({ disk }: Machine): readonly string[] {
  return readdirSync(disk, { recursive: true, encoding: 'utf8' }).filter((name) => /-before-.*\.db$/.test(name));
}

/** Requests by one person to the pages of a node. */
async function login({ type, target }: Machine) {
  const added = await type('operator', 'add', WHO, '--json', '--config', target);
  const { token } = JSON.parse(added.stdout) as { readonly token: string };
  return async ({ url }: FleetNode, path: string, body?: object) => {
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      'content-type': 'application/json',
    };
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${url}/api${path}`, { headers, ...sent });
    return { status: response.status, body: (await response.json()) as { readonly [name: string]: unknown } };
  };
}

/** Restores the copies with the older version. @returns exit code, and tenant, name and result of each file */
async function rollBack({ type, target }: Machine) {
  const { code, stdout } = await type('fleet', 'rollback', '--yes', '--json', '--config', target);
  const { files } = JSON.parse(stdout) as { readonly files: readonly Readonly<Record<string, unknown>>[] };
  return { code, files: files.map(({ tenant, name, rolled_back: isDone }) => [tenant, name, isDone]) };
}

test('an older daemon leaves a migrated state alone until a rollback restores the earlier state', async () => {
  const newer = nextVersion({ state: 'ALTER TABLE facts ADD COLUMN note text;' });
  const { fleet, openNode, openMachine, wait } = await openRemoteFleet(server, START);
  const acme = await fleet.addTenant('acme', { guards: { users: { deactivate: { max: 0 } } } });
  const a = await openNode('a', { web: WEB });
  const desk = openMachine('desk', { web: WEB });
  const ask = await login(desk);
  await a.claim();
  const times = ['08:15', '08:30', '08:45', '09:00', '09:15', '09:30', '09:45'];
  const runNext = async (node: FleetNode): Promise<void> => {
    fleet.clock.set(`2037-11-21T${times.shift()}:10Z`);
    await wait();
    await server.ask('UPDATE tenant SET last_holder = NULL');
    await node.claim();
  };
  for (const status of ['active', 'left']) {
    acme.deliver([person('E1', { status }), person('E2')]);
    await runNext(a);
  }
  const approval = { who: 'user:E1', reason: 'has left' };
  expect(await ask(a, '/tenants/acme/approvals', approval)).toMatchObject({ status: 200 });
  await a.daemon.idle();
  expect(acme.takeWrites()).toBe(2);

  // The newer daemon migrates the state as soon as it sees it, and runs at the next slot.
  const b = await as(newer, () => openNode('b'));
  await server.ask('UPDATE tenant SET last_holder = NULL');
  await as(newer, () => b.claim());
  expect([await keptFiles(), listBackups(b)]).toEqual([['state'], []]);
  expect(acme.takeWrites()).toBe(0);
  for (const [path, body] of [
    ['/tenants/acme/status'],
    ['/tenants/acme/approvals'],
    ['/tenants/acme/approvals', approval],
  ] as const)
    expect(await ask(a, path, body)).toMatchObject({ status: 503, body: { code: 'SYNC_STATE_NEWER' } });
  await runNext(a);
  expect(await server.ask('SELECT last_holder FROM tenant')).toEqual([{ last_holder: null }]);
  await as(newer, () => runNext(b));
  expect(acme.takeWrites()).toBe(1);
  acme.deliver([person('E1', { status: 'left' }), person('E2', { status: 'left' })]);

  // A rollback restores nothing while a daemon works on the tenant.
  await server.ask("UPDATE tenant SET holder = 'b', lease_until = now() + interval '1 h'");
  expect(await rollBack(desk)).toEqual({ code: 1, files: [['acme', 'state', false]] });
  await server.ask('UPDATE tenant SET lease_until = NULL');
  expect(await rollBack(desk)).toEqual({ code: 0, files: [['acme', 'state', true]] });
  expect(await keptFiles()).toEqual([]);
  await runNext(a);
  expect(fleet.log.map(({ msg }) => msg)).toContain('decisions since then may be missing');
  expect(acme.takeWrites()).toBe(0);
  expect((await ask(a, '/tenants/acme/approvals')).body).toMatchObject({ approvals: [] });
  expect(await ask(a, '/tenants/acme/approvals', { guard: 'state.restored', reason: 'seen' })).toMatchObject({
    status: 200,
  });
  await runNext(a);
  // The leaver of the new delivery needs an approval of their own.
  expect(acme.takeWrites()).toBe(0);
  const { body } = await ask(a, '/tenants/acme/holds');
  expect(JSON.stringify(body)).toContain('users.deactivate');
});

sweep('an older daemon leaves migrated pushed users and operators alone until a rollback', async () => {
  const newer = nextVersion({
    state: 'ALTER TABLE pushed_resources ADD COLUMN note text;',
    operators: 'ALTER TABLE operators ADD COLUMN note text;',
  });
  const { fleet, openNode, openMachine } = await openRemoteFleet(server, START);
  fleet.env.ENTRA = 'token';
  await fleet.addTenant('acme', {
    sources: { entra: { type: 'scim-push', tokens: [{ env: 'ENTRA' }], key: 'externalId' } },
    users: {
      existence: 'entra',
      leaver: { when: 'record.active == false' },
      fields: {
        external_unique_id: 'record.?externalId',
        email: 'record.?email',
        name: 'record.?displayName',
        office: { country: '"no"', name: '"Oslo"' },
      },
    },
  });
  const a = await openNode('a', { web: WEB });
  const desk = openMachine('desk', { web: WEB });
  const ask = await login(desk);
  const receive = (node: FleetNode): Promise<string> => {
    const sources = createPushSources(() => node.daemon.list(), node.backend);
    closeAfterTest(sources);
    const { find, proxies } = sources;
    return openReceiver({ find, proxies, clock: fleet.clock, onRequest: () => undefined });
  };
  const push = async (url: string, userName?: string): Promise<readonly unknown[]> => {
    const headers = { authorization: 'Bearer token', 'content-type': 'application/scim+json' };
    const user = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName, externalId: userName };
    const sent = userName === undefined ? {} : { method: 'POST', body: JSON.stringify(user) };
    const response = await fetch(`${url}/scim/v2/acme/entra/Users`, { headers, ...sent });
    const { totalResults = null } = (await response.json()) as { readonly totalResults?: number };
    return [response.status, totalResults];
  };
  const toA = await receive(a);
  expect(await push(toA, 'jane')).toEqual([201, null]);

  const b = await as(newer, () => openNode('b', { web: WEB }));
  const toB = await receive(b);
  expect(await as(newer, () => push(toB))).toEqual([200, 1]);
  expect(await as(newer, () => push(toB, 'berit'))).toEqual([201, null]);
  expect([await keptFiles(), listBackups(b)]).toEqual([['operators', 'pushed'], []]);
  expect([await push(toA), await push(toA, 'kari')]).toEqual([
    [503, null],
    [503, null],
  ]);
  expect(await ask(a, '/session')).toMatchObject({ status: 503, body: { code: 'SYNC_STATE_NEWER' } });
  const added = await desk.type('operator', 'add', 'other@example.com', '--json', '--config', desk.target);
  expect([added.code, added.stdout]).toEqual([1, expect.stringContaining('SYNC_STATE_NEWER')]);

  expect(await rollBack(desk)).toEqual({
    code: 0,
    files: [
      [null, 'operators', true],
      ['acme', 'pushed', true],
    ],
  });
  expect(await keptFiles()).toEqual([]);
  expect([await push(toA), await push(toA, 'kari'), await push(toA)]).toEqual([
    [200, 1],
    [201, null],
    [200, 2],
  ]);
  expect((await ask(a, '/session')).status).toBe(200);
});
