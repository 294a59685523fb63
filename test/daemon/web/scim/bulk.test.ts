import { describe, expect, it } from 'vitest';
import { sweep } from '../../../depth.js';
import { type Desk, ENTERPRISE, GROUP, openDesk, type ScimBody, USER } from './desk.js';

const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';

interface Outcome {
  readonly method: string;
  readonly bulkId?: string;
  readonly location?: string;
  readonly version?: string;
  readonly status: string;
  readonly response?: ScimBody;
}
interface BulkDesk extends Desk {
  bulk(operations: readonly unknown[], more?: object): Promise<readonly Outcome[]>;
  members(name: string): Promise<readonly string[]>;
}

async function openBulk(): Promise<BulkDesk> {
  const desk = await openDesk();
  return {
    ...desk,
    async bulk(operations, more = {}) {
      const { status, json } = await desk.call('POST', '/Bulk', { schemas: [BULK], Operations: operations, ...more });
      expect([status, json.schemas]).toEqual([200, ['urn:ietf:params:scim:api:messages:2.0:BulkResponse']]);
      return json.Operations as readonly Outcome[];
    },
    async members(name) {
      const { json } = await desk.call('GET', `/Groups?filter=${encodeURIComponent(`displayName eq "${name}"`)}`);
      return (json.Resources[0]?.members ?? []).map(({ display }) => display ?? 'nobody');
    },
  };
}

const user = (userName: string, more: object = {}): object => ({
  method: 'POST',
  path: '/Users',
  bulkId: userName,
  data: { schemas: [USER], userName, ...more },
});
const group = (displayName: string, ...members: string[]): object => ({
  method: 'POST',
  path: '/Groups',
  bulkId: displayName,
  data: { schemas: [GROUP], displayName, members: members.map((one) => ({ value: `bulkId:${one}` })) },
});
const statuses = (outcomes: readonly Outcome[]): readonly string[] => outcomes.map(({ status }) => status);

describe('/Bulk', () => {
  it('carries out all kinds of writes, each with an address, a version and a status text', async () => {
    const { bulk, addUser, addGroup, call } = await openBulk();
    const [a, b, c] = [await addUser('a'), await addUser('b'), await addUser('c')];
    const team = await addGroup('Team');
    const outcomes = await bulk([
      user('jane'),
      { method: 'put', path: `/Users/${a.id}`, data: { userName: 'a2' } },
      {
        method: 'PATCH',
        path: `/Users/${b.id}`,
        version: b.meta.version,
        data: [{ op: 'replace', path: 'title', value: 'Boss' }],
      },
      {
        method: 'PATCH',
        path: `/Groups/${team.id}`,
        data: { Operations: [{ op: 'add', path: 'members', value: [{ value: b.id }] }] },
      },
      { method: 'DELETE', path: `/Users/${c.id}` },
    ]);
    expect(statuses(outcomes)).toEqual(['201', '200', '200', '204', '204']);
    expect(outcomes.map(({ method }) => method)).toEqual(['POST', 'PUT', 'PATCH', 'PATCH', 'DELETE']);
    expect(outcomes[0]).toMatchObject({ bulkId: 'jane', location: expect.stringMatching(/\/Users\/[\w-]{36}$/) });
    expect(outcomes[1]?.location).toBe(a.meta.location);
    const after = (await call('GET', `/Users/${b.id}`)).json;
    expect(after.title).toBe('Boss');
    expect((await call('GET', `/Users/${a.id}`)).json.meta.version).toBe(outcomes[1]?.version);
    expect((await call('GET', `/Users/${c.id}`)).status).toBe(404);
  });

  it('creates a referenced bulkId first, in either direction and in paths', async () => {
    const { bulk, members, call } = await openBulk();
    const outcomes = await bulk([
      group('Team', 'jane', 'bo'),
      { method: 'PATCH', path: '/Users/bulkId:bo', data: [{ op: 'add', path: 'title', value: 'Boss' }] },
      user('bo', { [ENTERPRISE]: { manager: { value: 'bulkId:jane' } } }),
      user('jane'),
    ]);
    expect(statuses(outcomes)).toEqual(['201', '200', '201', '201']);
    expect(await members('Team')).toEqual(expect.arrayContaining(['jane', 'bo']));
    const people = (await call('GET', '/Users?sortBy=userName')).json.Resources;
    expect(people[0]).toMatchObject({
      userName: 'bo',
      title: 'Boss',
      [ENTERPRISE]: { manager: { value: people[1]?.id } },
    });
  });

  it('creates two groups that refer to each other', async () => {
    const { bulk, members } = await openBulk();
    expect(statuses(await bulk([group('A', 'B'), group('B', 'A'), group('C', 'C')]))).toEqual(['201', '201', '201']);
    expect([await members('A'), await members('B'), await members('C')]).toEqual([['B'], ['A'], ['C']]);
  });

  it('fails an operation with those that refer to it, without a trace, and continues with others', async () => {
    const { bulk, members, addUser, addGroup, call } = await openBulk();
    await addUser('jane');
    await addGroup('B');
    const outcomes = await bulk([
      user('bo'),
      user('jane'),
      group('Team', 'bo', 'jane'),
      group('A', 'B'),
      group('B', 'A'),
      user('cy'),
    ]);
    expect(statuses(outcomes)).toEqual(['201', '409', '400', '400', '409', '201']);
    expect(outcomes[1]).toMatchObject({
      bulkId: 'jane',
      response: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '409', scimType: 'uniqueness' },
    });
    expect(outcomes[1]).not.toHaveProperty('location');
    expect(outcomes[2]?.response?.scimType).toBe('invalidValue');
    expect(await members('B')).toEqual([]);
    expect((await call('GET', '/Groups')).json.totalResults).toBe(1);
  });

  it('stops after failOnErrors, and returns the completed operations', async () => {
    const { bulk, addUser, call } = await openBulk();
    await addUser('jane');
    const operations = [user('a'), user('jane'), user('b'), { method: 'DELETE', path: '/Users/none' }, user('c')];
    expect(statuses(await bulk(operations, { failOnErrors: 2 }))).toEqual(['201', '409', '201', '404']);
    expect((await call('GET', '/Users')).json.totalResults).toBe(3);
  });

  it.each([
    ['a GET', { method: 'GET', path: '/Users' }, '405'],
    ['a missing method', { path: '/Users' }, '405'],
    ['a POST without a bulkId', { method: 'POST', path: '/Users', data: { userName: 'x' } }, '400'],
    ['a POST to a person', { method: 'POST', path: '/Users/1', bulkId: 'q', data: {} }, '405'],
    ['an unknown path', { method: 'DELETE', path: '/Devices/1' }, '404'],
    ['a missing path', { method: 'DELETE' }, '404'],
    ['a nested bulk', { method: 'POST', path: '/Bulk', bulkId: 'q', data: {} }, '404'],
    ['missing data', { method: 'POST', path: '/Users', bulkId: 'q' }, '400'],
    ['an old version', { method: 'PUT', path: '/Users/{jane}', version: 'W/"0"', data: { userName: 'j' } }, '412'],
    [
      'an unknown bulkId',
      { method: 'PATCH', path: '/Users/{jane}', data: [{ op: 'add', path: 'title', value: 'bulkId:none' }] },
      '400',
    ],
    [
      'a PATCH with an invalid operation',
      {
        method: 'PATCH',
        path: '/Users/{jane}',
        data: [
          { op: 'add', path: 'title', value: 'x' },
          { op: 'add', path: 'id', value: 'x' },
        ],
      },
      '400',
    ],
  ])('%s fails alone: %s', async (_, operation, status) => {
    const { bulk, addUser, call } = await openBulk();
    const jane = await addUser('jane');
    const sent = JSON.parse(JSON.stringify(operation).replaceAll('{jane}', jane.id));
    expect(statuses(await bulk([sent, user('bo')]))).toEqual([status, '201']);
    expect((await call('GET', `/Users/${jane.id}`)).json).toEqual(jane);
  });

  sweep('rejects invalid or too large bulk requests completely', async () => {
    const { call } = await openBulk();
    const statusOf = async (body: unknown) => (await call('POST', '/Bulk', body)).status;
    expect(await statusOf({ Operations: Array.from({ length: 1_001 }, (_, n) => user(`u${n}`)) })).toBe(413);
    expect(await statusOf(JSON.stringify({ Operations: [user('x'.repeat(5 * 1024 * 1024))] }))).toBe(413);
    for (const body of [
      {},
      { Operations: 'x' },
      { Operations: ['x'] },
      { schemas: [USER], Operations: [] },
      { Operations: [], failOnErrors: 0 },
    ])
      expect(await statusOf(body)).toBe(400);
    expect(await statusOf({ Operations: [user('a'), user('a')] })).toBe(400);
    const text = `{"Operations":[{"method":"POST","path":"/Users","bulkId":"a","data":${'['.repeat(100_000)}${']'.repeat(100_000)}}]}`;
    expect((await call('POST', '/Bulk', text)).json.Operations).toMatchObject([{ status: '400' }]);
    expect((await call('GET', '/Users')).json.totalResults).toBe(0);
  });
});
