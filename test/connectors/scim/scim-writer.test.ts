import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/base/secrets/secret.js';
import { buildOperations } from '../../../src/connectors/scim/patch-operations.js';
import { whyNotWritable } from '../../../src/connectors/scim/writable.js';
import { SCIM_COLUMNS } from '../../../src/connectors/scim-protocol/columns.js';
import type { Json } from '../../../src/model/json.js';
import { closeAfterTest } from '../../closing.js';
import { openDesk, TOKENS } from '../../daemon/web/scim/desk.js';
import { oneIn } from '../../depth.js';
import { startVendor, type VendorReply } from '../crm/imitations/vendor-server.js';
import { catchSyncError, OPEN_ACCESS } from '../fixtures.js';
import { write, writeAll } from '../writing.js';
import { startScimmy } from './scimmy-server.js';
import { openSource } from './written-source.js';

/** The project’s own receiver, and an independent server, each with two users. */
const PROVIDERS = [
  [
    'the receiver',
    async (users: readonly object[]) => {
      const desk = await openDesk();
      const ids: string[] = [];
      for (const [place, user] of users.entries()) ids.push((await desk.addUser(`user${place}@example.com`, user)).id);
      const access = { ...OPEN_ACCESS, auth: { bearer: new Secret(TOKENS[0] ?? '') } };
      const asked = () => desk.events.map(({ method }) => method).filter((method) => method !== 'POST');
      return { baseUrl: desk.url, ids, access, asked };
    },
  ],
  [
    'SCIMMY',
    async (users: readonly object[]) => {
      const { baseUrl, server } = await startScimmy(
        users.map((user, place) => ({ id: `u${place}`, userName: `user${place}@example.com`, ...user })),
      );
      const asked = () => server.requests.map(({ method }) => method);
      return { baseUrl, ids: users.map((_, place) => `u${place}`), access: OPEN_ACCESS, asked };
    },
  ],
] as const;

const WRITABLE = Object.keys(SCIM_COLUMNS).filter(
  (column) => whyNotWritable({ columns: SCIM_COLUMNS, key: 'id' }, column) === null,
);
const ALL: Readonly<Record<string, Json>> = {
  externalId: 'E7',
  displayName: 'Jane Doe',
  givenName: 'Jane',
  familyName: 'Doe',
  email: 'jane@example.com',
  phone: '+47 123',
  title: 'Architect',
  department: 'R&D "north"',
  division: 'D',
  organization: 'O',
  costCenter: '0042',
  employeeNumber: '0007',
  manager: 'u1',
  country: 'NO',
  locale: 'nb-NO',
};

/** For each key: a value that finds a user, and one that finds nobody. SCIMMY’s filters compare only exact texts. */
const KEYS = [
  ['externalId', 'E1', 'e1'],
  ['userName', 'USER1@example.com', 'user2'],
  ['employeeNumber', '0001', '1'],
  ['email', 'one@example.com', 'o@example.com'],
] as const;

describe.each(PROVIDERS)('%s', (name, start) => {
  it('writes each writable column so that it reads back unchanged, and can empty it', async () => {
    const { baseUrl, ids, access } = await start([{}, { title: 'stays' }]);
    const [jane = '', joe = ''] = ids;
    const { writer, read } = openSource(baseUrl, { access });
    expect(WRITABLE.sort()).toEqual(Object.keys(ALL).sort());
    expect((await writeAll(writer, [write(jane, ALL)])).statuses).toEqual({ [jane]: 'done' });
    expect((await read()).get(jane)).toMatchObject(ALL);
    const nothing = Object.fromEntries(WRITABLE.map((column) => [column, null]));
    expect((await writeAll(writer, [write(jane, nothing)])).statuses).toEqual({ [jane]: 'done' });
    const after = await read();
    for (const column of WRITABLE) expect([column, after.get(jane)?.[column]]).toEqual([column, undefined]);
    expect(after.get(joe)?.title).toBe('stays');
  });

  it('makes one call per user, and changes nothing when it repeats a value', async () => {
    const { baseUrl, ids, access, asked } = await start([{}, {}]);
    const { writer, read } = openSource(baseUrl, { access });
    const writes = ids.map((id, place) => write(id, { title: `t${place}`, department: 'R&D' }));
    await writeAll(writer, writes);
    expect(asked()).toEqual(['PATCH', 'PATCH']);
    expect(writer.forecast(2)).toEqual({ 'PATCH /Users/{id}': 2 });
    const before = await read();
    expect(new Set(Object.values((await writeAll(writer, writes)).statuses))).toEqual(new Set(['done']));
    expect(await read()).toEqual(before);
  });

  it('writes the same e-mail address that is read', async () => {
    const emails = [
      { type: 'home', value: 'home@example.com', primary: true },
      { type: 'work', value: 'work@example.com' },
    ];
    const { baseUrl, ids, access, asked } = await start([{ emails }]);
    const { writer, read } = openSource(baseUrl, { access });
    const [id = ''] = ids;
    expect((await writeAll(writer, [write(id, { email: 'new@example.com' })])).statuses).toEqual({ [id]: 'done' });
    expect(asked()).toEqual(['GET', 'PATCH']);
    expect((await read()).get(id)?.email).toBe('new@example.com');
    await writeAll(writer, [write(id, { email: null })]);
    // Without the primary address, the one for work is read.
    expect((await read()).get(id)?.email).toBe('work@example.com');
  });

  it('adds a mobile number to a work number, or changes an existing one', async () => {
    const phoneNumbers = [{ type: 'work', value: '1' }];
    const { baseUrl, ids, access } = await start([{ phoneNumbers }]);
    const { writer, read } = openSource(baseUrl, { access });
    const [id = ''] = ids;
    for (const phone of ['2', '3']) {
      expect((await writeAll(writer, [write(id, { phone, title: 'T' })])).statuses).toEqual({ [id]: 'done' });
      expect((await read()).get(id)).toMatchObject({ phone, title: 'T' });
    }
    await writeAll(writer, [write(id, { phone: null })]);
    expect((await read()).get(id)?.phone).toBe('1');
  });

  it.each(
    oneIn(
      1,
      KEYS.filter(([key]) => name === 'the receiver' || key === 'externalId'),
    ),
  )('looks up a user by the key %s, in one call', async (key, record, unknown) => {
    const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
    const one = {
      externalId: 'E1',
      [enterprise]: { employeeNumber: '0001' },
      emails: [{ type: 'work', value: 'one@example.com' }],
    };
    const { baseUrl, ids, access, asked } = await start([{ externalId: 'E0' }, one]);
    const { writer } = openSource(baseUrl, { access, key });
    const { statuses, say } = await writeAll(writer, [write(record, { title: 'T' }), write(unknown, { title: 'T' })]);
    expect(statuses).toEqual({ [record]: 'done', [unknown]: 'refused' });
    expect(say(unknown)).toContain(`no user with this ${key}`);
    expect(asked()).toEqual(['GET', 'PATCH', 'GET']);
    expect(writer.forecast(3)).toEqual({ 'GET /Users?filter': 3, 'PATCH /Users/{id}': 3 });
    const { read } = openSource(baseUrl, { access });
    expect([...(await read()).values()].map(({ id, title }) => [id, title])).toEqual([
      [ids[0], undefined],
      [ids[1], 'T'],
    ]);
  });

  it('says in a check if the provider accepts PATCH', async () => {
    const { baseUrl, access } = await start([{}]);
    const { writer } = openSource(baseUrl, { access });
    expect((await writer.probe()).detail).toBe('the provider supports PATCH');
  });
});

it('addresses an e-mail with an empty type by its value', () => {
  const user = { emails: [{ type: '', value: 'old@example.com' }] };
  expect(buildOperations({ email: 'new@example.com' }, user)).toEqual([
    { op: 'replace', path: 'emails[value eq "old@example.com"].value', value: 'new@example.com' },
  ]);
});

it('writes neither of two users with the same key', async () => {
  const { baseUrl, server } = await startScimmy([
    { id: 'a', userName: 'a', externalId: 'E1' },
    { id: 'b', userName: 'b', externalId: 'E1' },
  ]);
  const { statuses } = await writeAll(openSource(baseUrl, { key: 'externalId' }).writer, [write('E1', { title: 'T' })]);
  expect(statuses).toEqual({ E1: 'refused' });
  expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
});

it('rejects impossible writes without a call, and makes the others', async () => {
  const { baseUrl, server } = await startScimmy([{ id: 'a', userName: 'a' }]);
  const { writer } = openSource(baseUrl);
  const bad = Object.entries({
    id: 'x',
    userName: 'x',
    active: false,
    groups: [],
    modified: 'x',
    nickName: 'x',
    title: { en: 'x' },
  });
  const writes = bad.map(([column, value]) => write(column, { [column]: value, locale: 'no' }));
  const { statuses, say } = await writeAll(writer, [...writes, write('a', { title: 'T' }), write('b', {})]);
  expect(statuses).toEqual({ ...Object.fromEntries(bad.map(([column]) => [column, 'refused'])), a: 'done' });
  expect(say('active')).toContain('never opened or closed');
  expect(server.requests).toHaveLength(1);
  expect(whyNotWritable({ columns: SCIM_COLUMNS, key: 'externalId' }, 'externalId')).toContain('key');
});

/** Opens a provider that sends these replies in order. */
async function answering(...replies: readonly VendorReply[]) {
  const left = [...replies];
  const server = await startVendor({
    answer: () => left.shift() ?? { status: 204 },
    refuse: (status) => ({ status, body: { detail: 'imitated' } }),
  });
  closeAfterTest(server);
  return { server, ...openSource(`${server.url}/scim/v2`) };
}

const one = [write('a', { title: 'T' })];

it('rejects a write whose value comes back changed, and shows that value', async () => {
  const { writer } = await answering(
    { status: 200, body: { id: 'a', userName: 'a', title: 'Other' } },
    { status: 200, body: { id: 'a' } },
  );
  expect((await writeAll(writer, one)).say('a')).toBe('The identity provider stored another `title`: "Other".');
  expect((await writeAll(writer, one)).say('a')).toBe('The identity provider stored another `title`: none.');
  // Without a body, or if the body is not a user, there is nothing to compare.
  expect((await writeAll(writer, one)).statuses).toEqual({ a: 'done' });
});

it.each([400, 403, 404, 409, 412])('writes the next user after one is rejected with %d', async (status) => {
  const { writer } = await answering({ status, body: { detail: 'Not this one.', status: String(status) } });
  const { statuses, say, error } = await writeAll(writer, [...one, write('b', { title: 'T' })]);
  expect(statuses).toEqual({ a: 'refused', b: 'done' });
  expect(say('a')).toBe(`The identity provider answered ${status}: Not this one.`);
  expect(error).toBeNull();
});

it.each([405, 501])('reports a provider that does not accept PATCH (%d)', async (status) => {
  const { writer, server } = await answering({ status });
  const { statuses, error } = await writeAll(writer, [...one, write('b', { title: 'T' })]);
  expect(statuses).toEqual({});
  expect(error).toMatchObject({ code: 'SYNC_SOURCE_UNWRITABLE' });
  expect(server.requests).toHaveLength(1);
  const said = await answering(
    { status: 200, body: { totalResults: 0 } },
    { status: 200, body: { patch: { supported: false } } },
  );
  expect((await catchSyncError(said.writer.probe())).code).toBe('SYNC_SOURCE_UNWRITABLE');
});
