import { expect, it } from 'vitest';
import { createScimConnector } from '../../../src/connectors/scim/scim-connector.js';
import { buildContext, NOW, readAll, scimConfig, startServer } from '../fixtures.js';
import { createProvider, type ProviderUser } from './provider.js';

const HOUR = 3_600_000;
const at = (minute: number) => new Date(NOW - HOUR + minute * 60_000).toISOString();
const user = (id: string, minute: number, rest: object = {}): ProviderUser => ({
  id,
  userName: `${id}@example.com`,
  modified: at(minute),
  ...rest,
});

async function open(users: readonly ProviderUser[], fullEveryMs: number | null = 24 * HOUR) {
  const provider = createProvider(users);
  const { baseUrl, requests } = await startServer(provider.respond);
  const context = buildContext();
  let now = NOW;
  const clock = { ...context.clock, now: () => now };
  const config = scimConfig(baseUrl, { pageSize: 100, fullEveryMs });
  const connector = createScimConnector('idp', config, { ...context, clock });
  const read = async () => {
    const before = requests.length;
    const { records, batches, evidence } = await readAll(connector);
    const queries = requests.slice(before).map((url) => new URL(url, 'http://localhost').searchParams.get('filter'));
    const titles = Object.fromEntries(records.map(({ key, cells }) => [key, cells.title]));
    return {
      titles,
      queries,
      complete: evidence.complete,
      because: evidence.incompleteBecause,
      gone: batches.flatMap(({ gone }) => gone ?? []),
    };
  };
  return {
    provider,
    read,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

const SINCE = (minute: number) => `meta.lastModified ge "${at(minute)}"`;

it('after a whole read only changes are asked for, and everybody is delivered', async () => {
  const { provider, read } = await open([user('a', 1, { title: 'old' }), user('b', 5), user('c', 3)]);
  expect(await read()).toMatchObject({ queries: [null, null], complete: true });
  provider.users = [user('a', 9, { title: 'new' }), user('b', 5), user('c', 3), user('d', 8)];
  const changed = await read();
  expect(changed).toMatchObject({ queries: [SINCE(5)], complete: false });
  expect(changed.titles).toEqual({ a: 'new', b: undefined, c: undefined, d: undefined });
  expect(changed.because).toContain('only what changed');
  // The newest change moves the time on.
  expect((await read()).queries).toEqual([SINCE(9)]);
});

it.each([
  ['it is due', 24 * HOUR],
  ['the clock had been wrong', -24 * HOUR],
])('everybody is read again when %s, and deletions show then', async (_, ms) => {
  const { provider, read, pass } = await open([user('a', 1), user('b', 5)]);
  await read();
  provider.users = [user('b', 5)];
  expect(await read()).toMatchObject({ complete: false, gone: [] });
  pass(ms);
  // The list, what follows its only page, the one who is missing, and one who is listed.
  expect(await read()).toMatchObject({ queries: [null, null, null, null], complete: true, gone: [{ key: 'a' }] });
  expect(await read()).toMatchObject({ complete: false, gone: [{ key: 'a' }], titles: { b: undefined } });
});

it.each([
  ['answers with nobody', 'nobody'],
  ['is refused', 'refused'],
] as const)('where a filter %s, everybody is read', async (_, answer) => {
  const { provider, read } = await open([user('a', 1), user('b', 5)]);
  provider.lastModified = answer;
  await read();
  expect(await read()).toMatchObject({ queries: [SINCE(5), null, null], complete: true });
});

it('a filter that is ignored costs no more than a whole read, and is right', async () => {
  const { provider, read } = await open([user('a', 1), user('b', 5)]);
  provider.lastModified = 'everybody';
  await read();
  expect(await read()).toMatchObject({ queries: [SINCE(5)], titles: { a: undefined, b: undefined } });
});

it('a time to come does not hide the changes until then', async () => {
  const { provider, read } = await open([user('a', 1), user('b', 600)]);
  await read();
  provider.users = [user('a', 65, { title: 'new' }), user('b', 600)];
  expect(await read()).toMatchObject({ queries: [SINCE(60)], titles: { a: 'new', b: undefined } });
});

it('users without a time of change are always read whole', async () => {
  const { read } = await open([{ id: 'a', userName: 'a' }]);
  await read();
  expect(await read()).toMatchObject({ queries: [null, null], complete: true });
});

it('without being asked to, every read is whole', async () => {
  const { read } = await open([user('a', 1)], null);
  await read();
  expect(await read()).toMatchObject({ queries: [null, null], complete: true });
});
