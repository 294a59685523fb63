import { describe, expect, it } from 'vitest';
import type { ScimSourceConfig } from '../../../src/connectors/scim/resolve.js';
import { createScimConnector } from '../../../src/connectors/scim/scim-connector.js';
import { sweep } from '../../depth.js';
import { answerJson, buildContext, catchSyncError, readAll, scimConfig, startServer } from '../fixtures.js';
import { createProvider, type Provider } from './provider.js';

const user = (id: string, rest: object = {}) => ({ id, userName: `${id}@example.com`, ...rest });
const people = (...ids: readonly string[]) => ids.map((id) => user(id));
const CURSORS = { pagination: { cursor: true, index: false }, filter: { supported: true, maxResults: 3 } };

async function connect(provider: Provider, rest: Partial<ScimSourceConfig> = {}) {
  const { baseUrl, requests } = await startServer(provider.respond, true);
  const context = buildContext();
  const connector = createScimConnector('idp', scimConfig(baseUrl, { paging: 'auto', ...rest }), context);
  const read = async () => {
    const { records, batches, evidence } = await readAll(connector);
    return {
      keys: records.map(({ key }) => key),
      records,
      gone: batches.flatMap(({ gone }) => gone ?? []).map(({ key }) => key),
      evidence,
    };
  };
  return { connector, read, requests };
}

const queriesOf = (requests: readonly string[], name: string) =>
  requests
    .filter((url) => url.includes('/Users?'))
    .map((url) => new URL(url, 'http://localhost').searchParams.get(name));

describe('paging', () => {
  it.each<[string, object | null, ScimSourceConfig['paging'], 'cursor' | 'startIndex', string]>([
    ['says nothing', null, 'auto', 'startIndex', '4'],
    [
      'prefers cursors',
      { pagination: { cursor: true, index: true, defaultPaginationMethod: 'cursor' } },
      'auto',
      'cursor',
      '4',
    ],
    [
      'supports both and prefers the index',
      { pagination: { cursor: true, index: true, defaultPaginationMethod: 'index' } },
      'auto',
      'startIndex',
      '4',
    ],
    ['supports only cursors', CURSORS, 'auto', 'cursor', '3'],
    ['supports only cursors but is configured for the index', CURSORS, 'index', 'startIndex', '3'],
    ['says nothing and is configured for cursors', null, 'cursor', 'cursor', '4'],
  ])('suits a provider that %s', async (_, capabilities, paging, parameter, count) => {
    const provider = createProvider(people('a', 'b', 'c', 'd', 'e', 'f', 'g'));
    provider.capabilities = capabilities;
    const { read, requests } = await connect(provider, { paging, pageSize: 4 });
    const { keys, evidence } = await read();
    expect([keys.join(''), evidence.complete]).toEqual(['abcdefg', true]);
    expect(queriesOf(requests, parameter).every((value) => value !== null)).toBe(true);
    expect(new Set(queriesOf(requests, 'count'))).toEqual(new Set([count]));
    // The capabilities are requested only once, however many reads follow.
    await read();
    expect(requests.filter((url) => url.endsWith('/ServiceProviderConfig'))).toHaveLength(1);
  });

  it.each([
    [200, '<!doctype html><title>Sign in</title>'],
    [302, ''],
  ])('works with a provider that answers %i without a document instead of its capabilities', async (status, page) => {
    const provider = createProvider(people('a', 'b', 'c'));
    provider.before = (request, response) => {
      const isAsked = request.url?.endsWith('/ServiceProviderConfig') === true;
      if (isAsked) response.writeHead(status, { 'content-type': 'text/html', location: '/login' }).end(page);
      return isAsked;
    };
    const { read } = await connect(provider);
    expect(await read()).toMatchObject({ keys: ['a', 'b', 'c'], evidence: { complete: true } });
  });

  sweep('restarts the listing after a cursor expires, and delivers nobody twice', async () => {
    const provider = createProvider(people('a', 'b', 'c', 'd', 'e'));
    provider.capabilities = CURSORS;
    provider.expireAfter = 1;
    provider.before = (request) => {
      if (request.url?.includes('cursor=&') === true) provider.expireAfter = 9;
      return false;
    };
    const { read } = await connect(provider, { pageSize: 2 });
    const { keys, evidence } = await read();
    expect([keys.join(''), evidence.complete]).toEqual(['abcde', true]);
  });

  it('ends the read if cursors always expire, and then proves nothing', async () => {
    const provider = createProvider(people('a', 'b', 'c'));
    provider.capabilities = CURSORS;
    provider.expireAfter = 0;
    const { read } = await connect(provider, { pageSize: 2 });
    const { keys, evidence } = await read();
    expect([keys.join(''), evidence.complete]).toEqual(['ab', false]);
    expect(evidence.incompleteBecause).toContain('lost 4 times before it ended (400)');
  });

  sweep('reports a provider that does not page by cursor', async () => {
    const provider = createProvider(people('a'));
    provider.before = (request, response) => {
      const isAsked = request.url?.includes('cursor=') === true;
      if (isAsked) answerJson(response, { status: '400', scimType: 'invalidValue' }, 400);
      return isAsked;
    };
    const { connector } = await connect(provider, { paging: 'cursor' });
    expect((await catchSyncError(connector.read(() => {}))).remedy).toContain('paging');
  });

  sweep('ends the listing if the first page comes again after the end', async () => {
    const provider = createProvider(people('a', 'b', 'c'));
    provider.before = (request, response) => {
      const start = Number(new URL(request.url ?? '', 'http://x').searchParams.get('startIndex'));
      if (start <= 3) return false;
      answerJson(response, { totalResults: 4, Resources: people('a', 'b') });
      return true;
    };
    const { read } = await connect(provider, { pageSize: 3 });
    expect((await read()).keys).toEqual(['a', 'b', 'c']);
  });

  it('sends filter and attributes with each page, and shows cursors and filters nowhere', async () => {
    const provider = createProvider(people('a', 'b', 'c'));
    provider.capabilities = CURSORS;
    const filter = 'userType eq "Employee"';
    const { read, requests } = await connect(provider, {
      pageSize: 2,
      filter,
      attributes: ['id', 'userName', 'emails'],
    });
    const { records, evidence } = await read();
    expect(queriesOf(requests, 'filter')).toEqual([filter, filter]);
    expect(queriesOf(requests, 'attributes')).toEqual(['id,userName,emails', 'id,userName,emails']);
    expect(requests.some((url) => url.includes('+'))).toBe(false);
    expect(JSON.stringify([evidence, records.map(({ place }) => place)])).not.toMatch(/opaque|Employee/);
  });

  it('takes a user name in any case as the same key', async () => {
    const { read } = await connect(createProvider([user('1', { userName: 'Jane.Doe@Example.com' })]), {
      key: 'userName',
    });
    const { records } = await read();
    expect(records[0]).toMatchObject({ key: 'jane.doe@example.com', cells: { userName: 'Jane.Doe@Example.com' } });
  });
});

describe('people who are gone', () => {
  it('are looked up by id if a complete listing lacks them, and a 404 is lasting proof', async () => {
    const provider = createProvider(people('a', 'b', 'c'));
    const { read, requests } = await connect(provider);
    expect((await read()).gone).toEqual([]);
    provider.users = people('a', 'c');
    expect(await read()).toMatchObject({ keys: ['a', 'c'], gone: ['b'], evidence: { complete: true } });
    expect(requests.filter((url) => /Users\/b$/.test(url))).toHaveLength(1);
    // The proof is remembered without another request. A user who returns is not gone any more.
    expect((await read()).gone).toEqual(['b']);
    expect(requests.filter((url) => /Users\/b$/.test(url))).toHaveLength(1);
    provider.users = people('a', 'b', 'c');
    expect((await read()).gone).toEqual([]);
  });

  it('cannot be proved by a provider that shows nobody by id', async () => {
    const provider = createProvider(people('a', 'b', 'c'));
    provider.before = (request, response) => {
      const isOne = request.url?.includes('/Users/') === true;
      if (isOne) answerJson(response, {}, 404);
      return isOne;
    };
    const { read } = await connect(provider);
    await read();
    provider.users = people('a', 'c');
    expect(await read()).toMatchObject({ keys: ['a', 'c'], gone: [], evidence: { complete: true } });
    // As soon as it answers, it is trusted.
    provider.before = () => false;
    provider.users = people('a');
    expect((await read()).gone).toEqual(['c']);
  });

  sweep('are proved by 410 as by 404', async () => {
    const provider = createProvider(people('a', 'b'));
    const { read } = await connect(provider);
    await read();
    provider.users = people('a');
    provider.before = (request, response) => {
      const isGone = request.url?.endsWith('/Users/b') === true;
      if (isGone) answerJson(response, {}, 410);
      return isGone;
    };
    expect(await read()).toMatchObject({ keys: ['a'], gone: ['b'], evidence: { complete: true } });
  });

  it('do not include a user found by id, and then the listing proves nothing', async () => {
    const provider = createProvider(people('a', 'b'));
    const { read } = await connect(provider);
    await read();
    provider.before = (request, response) => {
      const isList = request.url?.includes('/Users?') === true;
      if (isList) answerJson(response, { totalResults: 1, Resources: people('a') });
      return isList;
    };
    const { gone, evidence } = await read();
    expect([gone, evidence.complete]).toEqual([[], false]);
    expect(evidence.incompleteBecause).toContain('not in its list');
  });

  it('do not include users outside the filter', async () => {
    const provider = createProvider(people('a', 'b'));
    const { read } = await connect(provider, { filter: 'active eq true' });
    await read();
    provider.before = (request, response) => {
      const isList = request.url?.includes('/Users?') === true;
      if (isList) answerJson(response, { totalResults: 1, Resources: people('a') });
      return isList;
    };
    expect(await read()).toMatchObject({ keys: ['a'], gone: [], evidence: { complete: true } });
  });

  it('are not reported if half the company is missing and no sample is found by id', async () => {
    const all = Array.from({ length: 60 }, (_, index) => `u${index}`);
    const provider = createProvider(people(...all));
    const { read, requests } = await connect(provider, { pageSize: 100 });
    await read();
    provider.users = people(...all.slice(0, 30));
    expect(await read()).toMatchObject({ gone: [], evidence: { complete: true } });
    expect(requests.filter((url) => url.includes('/Users/u'))).toHaveLength(25);
  });

  it('do not include users found by id if a provider counts only the rows of a page', async () => {
    const all = Array.from({ length: 60 }, (_, index) => `u${index}`);
    const provider = createProvider(people(...all));
    const { read } = await connect(provider, { pageSize: 20 });
    await read();
    provider.before = (request, response) => {
      const isList = request.url?.includes('/Users?') === true;
      if (isList) answerJson(response, { totalResults: 20, Resources: people(...all.slice(0, 20)) });
      return isList;
    };
    for (const _ of [1, 2]) {
      const { gone, evidence } = await read();
      expect([gone, evidence.complete]).toEqual([[], false]);
    }
  });
});

describe('memberships', () => {
  const groups = [
    { id: 'g1', displayName: 'Managers', members: [{ value: 'a' }, { value: 'g2', type: 'Group' }] },
    {
      id: 'g2',
      displayName: 'Norway',
      members: [{ $ref: 'https://idp.example.com/scim/v2/Users/b' }, { $ref: '../Users/a' }],
    },
    { id: 'g3', displayName: 'Round', members: [{ value: 'g3' }] },
  ];

  it('come from the groups, including nested ones, whatever the users show', async () => {
    const provider = createProvider([user('a'), user('b', { groups: [{ display: 'Stale' }] }), user('c')]);
    provider.groups = groups;
    const { read, requests } = await connect(provider, { memberships: 'groups' });
    const { records } = await read();
    expect(records.map(({ key, cells }) => [key, cells.groups])).toEqual([
      ['a', ['Managers', 'Norway']],
      ['b', ['Managers', 'Norway']],
      ['c', []],
    ]);
    expect(requests.filter((url) => url.includes('/Groups'))).toHaveLength(2);
  });

  it('stop the source if they are read incompletely, because missing ones would be removed', async () => {
    const provider = createProvider(people('a'));
    provider.groups = groups;
    provider.before = (request, response) => {
      const isGroups = request.url?.includes('/Groups') === true;
      if (isGroups) answerJson(response, { totalResults: 3, Resources: groups.slice(0, 2) });
      return isGroups;
    };
    const { connector } = await connect(provider, { memberships: 'groups' });
    const error = await catchSyncError(connector.read(() => {}));
    expect([error.code, error.message.includes('2 different groups arrived')]).toEqual([
      'SYNC_SOURCE_INCOMPLETE',
      true,
    ]);
  });

  it('are an error if no group has any, unless this is allowed', async () => {
    const provider = createProvider(people('a'));
    const { connector } = await connect(provider, { memberships: 'groups' });
    const { read } = await connect(provider, { memberships: 'groups', mayBeEmpty: true });
    for (const members of [{}, { members: [] }]) {
      provider.groups = [{ id: 'g1', displayName: 'Managers', ...members }];
      const error = await catchSyncError(connector.read(() => {}));
      expect([error.code, error.remedy.includes('empty: allowed')]).toEqual(['SYNC_SOURCE_INCOMPLETE', true]);
      expect((await read()).records.map(({ cells }) => cells.groups)).toEqual([[]]);
    }
  });

  sweep('are read even without a list, or from a reference that is not a valid encoding', async () => {
    const provider = createProvider(people('a', '100%'));
    provider.groups = [
      { id: 'g1', displayName: 'One', members: { value: 'a' } },
      { id: 'g2', displayName: 'Odd', members: [{ $ref: '../Users/100%' }] },
    ];
    const { read } = await connect(provider, { memberships: 'groups' });
    expect((await read()).records.map(({ cells }) => cells.groups)).toEqual([['One'], ['Odd']]);
  });
});
