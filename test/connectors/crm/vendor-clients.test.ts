import { DynamicsWebApi, type RequestError } from 'dynamics-web-api';
import { describe, expect, test } from 'vitest';
import { write, writeAll } from '../writing.js';
import { openDynamics } from './companies-of-vendors.js';
import type { Dynamics } from './imitations/dynamics.js';

/**
 * The imitation is tested with the client that most programs use for Dynamics 365 (Microsoft has none for JavaScript).
 * Its requests and its reading of answers are not our work. Both sides use one account, so each sees what the other
 * wrote.
 */
function openClient(dynamics: Dynamics): DynamicsWebApi {
  return new DynamicsWebApi({
    serverUrl: `${dynamics.url}/`,
    dataApi: { version: '9.2' },
    onTokenRefresh: async () => {
      const form = {
        grant_type: 'client_credentials',
        client_id: dynamics.clientId,
        client_secret: dynamics.clientSecret,
        scope: `${dynamics.url}/.default`,
      };
      const response = await fetch(dynamics.tokenUrl, { method: 'POST', body: new URLSearchParams(form) });
      return ((await response.json()) as { readonly access_token: string }).access_token;
    },
  });
}

interface Account {
  readonly accountid: string;
  readonly name: string;
  readonly '@odata.etag'?: string;
}

async function open(count: number) {
  const company = await openDynamics(count);
  return { company, client: openClient(company.dynamics) };
}

/** Returns the error of a call that must be rejected. */
function refusalOf(call: Promise<unknown>): Promise<RequestError> {
  return call.then(
    () => {
      throw new Error('it was not rejected');
    },
    (error: unknown) => error as RequestError,
  );
}

const ACCOUNTS = { collection: 'accounts', select: ['name'] };

describe('dynamics-web-api, an independent client', () => {
  test('reads pages to the end, by the links it received', async () => {
    const { company, client } = await open(7);
    const first = await client.retrieveMultiple<Account>({ ...ACCOUNTS, maxPageSize: 3 });
    expect([first.value.length, typeof first.oDataNextLink]).toEqual([3, 'string']);
    const second = await client.retrieveMultiple<Account>({ ...ACCOUNTS, maxPageSize: 3 }, first.oDataNextLink);
    expect(second.value).toHaveLength(3);
    const all = await client.retrieveAll<Account>({ ...ACCOUNTS, maxPageSize: 3 });
    expect(all.value.map(({ accountid }) => accountid)).toEqual(company.ids.toSorted());
  });

  test('filters, orders and counts', async () => {
    const { client } = await open(5);
    const found = await client.retrieveMultiple<Account>({
      ...ACCOUNTS,
      filter: "name eq 'c1' or startswith(name,'c3')",
      orderBy: ['name desc'],
      count: true,
    });
    expect(found.value.map(({ name }) => name)).toEqual(['c3', 'c1']);
    expect(found.oDataCount).toBe(2);
  });

  test('follows changes and deletions, and sees the values of our writer', async () => {
    const { company, client } = await open(3);
    const [changed = '', gone = ''] = company.ids;
    const before = await client.retrieveAll<Account>({ ...ACCOUNTS, trackChanges: true });
    expect(before.value).toHaveLength(3);
    expect((await writeAll(company.feed.writer, [write(changed, { name: 'Ærlig & co' })])).statuses).toEqual({
      [changed]: 'done',
    });
    await client.deleteRecord({ collection: 'accounts', key: gone });
    const since = await client.retrieveMultiple<Account & { readonly id?: string; readonly reason?: string }>(
      ACCOUNTS,
      before.oDataDeltaLink,
    );
    expect(since.value.map(({ accountid, id, name, reason }) => [accountid ?? id, name ?? reason])).toEqual([
      [changed, 'Ærlig & co'],
      [gone, 'deleted'],
    ]);
  });

  test('updates by version: a stale update changes nothing, and a deleted row is not created again', async () => {
    const { company, client } = await open(2);
    const [key = '', gone = ''] = company.ids;
    const seen = await client.retrieve<Account>({ ...ACCOUNTS, key });
    const ifmatch = seen['@odata.etag'] ?? '';
    await client.update({ collection: 'accounts', key, data: { name: 'Theirs' }, ifmatch });
    expect((await company.feed.read()).names.get(key)).toBe('Theirs');
    await writeAll(company.feed.writer, [write(key, { name: 'Ours' })]);
    // The client reports an outdated version as "nothing was updated".
    expect(await client.update({ collection: 'accounts', key, data: { name: 'Late' }, ifmatch })).toBe(false);
    company.remove(gone);
    expect((await refusalOf(client.update({ collection: 'accounts', key: gone, data: { name: 'x' } }))).status).toBe(
      404,
    );
    expect((await company.feed.read()).names).toEqual(new Map([[key, 'Ours']]));
  });

  test('reads the status, code and message of an error', async () => {
    const { company, client } = await open(1);
    const [key = ''] = company.ids;
    const wrong = await refusalOf(client.update({ collection: 'accounts', key, data: { nonsense: 1 } }));
    expect([wrong.status, wrong.message]).toEqual([400, expect.stringContaining("Invalid property 'nonsense'")]);
    expect(wrong.code).toMatch(/^0x/);
    company.dynamics.failNext(429, /accounts/);
    expect((await refusalOf(client.retrieve({ ...ACCOUNTS, key }))).status).toBe(429);
  });
});
