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

it('requests only changes after a complete read, and delivers everyone', async () => {
  const { provider, read } = await open([user('a', 1, { title: 'old' }), user('b', 5), user('c', 3)]);
  expect(await read()).toMatchObject({ queries: [null, null], complete: true });
  provider.users = [user('a', 9, { title: 'new' }), user('b', 5), user('c', 3), user('d', 8)];
  const changed = await read();
  expect(changed).toMatchObject({ queries: [SINCE(5)], complete: false });
  expect(changed.titles).toEqual({ a: 'new', b: undefined, c: undefined, d: undefined });
  expect(changed.because).toContain('only changes since');
  // The newest change moves the time forward.
  expect((await read()).queries).toEqual([SINCE(9)]);
});

it.each([
  ['it is due', 24 * HOUR],
  ['the clock was wrong', -24 * HOUR],
])('reads everyone again when %s, and then detects deletions', async (_, ms) => {
  const { provider, read, pass } = await open([user('a', 1), user('b', 5)]);
  await read();
  provider.users = [user('b', 5)];
  expect(await read()).toMatchObject({ complete: false, gone: [] });
  pass(ms);
  // The requests are the list, the page after its only page, the missing person, and a listed person.
  expect(await read()).toMatchObject({ queries: [null, null, null, null], complete: true, gone: [{ key: 'a' }] });
  expect(await read()).toMatchObject({ complete: false, gone: [{ key: 'a' }], titles: { b: undefined } });
});

it.each([
  ['matches nobody', 'nobody'],
  ['is rejected', 'refused'],
] as const)('reads everyone if a filter %s', async (_, answer) => {
  const { provider, read } = await open([user('a', 1), user('b', 5)]);
  provider.lastModified = answer;
  await read();
  expect(await read()).toMatchObject({ queries: [SINCE(5), null, null], complete: true });
});

it('costs only a complete read with a filter that is ignored, and stays correct', async () => {
  const { provider, read } = await open([user('a', 1), user('b', 5)]);
  provider.lastModified = 'everybody';
  await read();
  expect(await read()).toMatchObject({ queries: [SINCE(5)], titles: { a: undefined, b: undefined } });
});

it('does not miss changes because of a time in the future', async () => {
  const { provider, read } = await open([user('a', 1), user('b', 600)]);
  await read();
  provider.users = [user('a', 65, { title: 'new' }), user('b', 600)];
  expect(await read()).toMatchObject({ queries: [SINCE(60)], titles: { a: 'new', b: undefined } });
});

it('reads users without a time of change completely every time', async () => {
  const { read } = await open([{ id: 'a', userName: 'a' }]);
  await read();
  expect(await read()).toMatchObject({ queries: [null, null], complete: true });
});

it('reads everyone every time unless configured for changes', async () => {
  const { read } = await open([user('a', 1)], null);
  await read();
  expect(await read()).toMatchObject({ queries: [null, null], complete: true });
});
