import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { listenOnLoopback } from '../loopback.js';
import { HOUR, person } from './company.js';
import { openStory, type Story, summarise } from './kit.js';

interface Account {
  readonly id?: string;
  readonly externalId?: string;
  readonly userName: string;
  readonly displayName?: string;
  readonly title?: string;
}

/** An identity provider that lists users in pages of two, and shows nobody by id. */
async function openIdp(): Promise<{ readonly url: string; accounts: readonly Account[] }> {
  const idp: { url: string; accounts: readonly Account[] } = { url: '', accounts: [] };
  idp.url = await listenOnLoopback(
    createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://idp');
      const from = Number(searchParams.get('startIndex')) - 1;
      const list = { totalResults: idp.accounts.length, Resources: idp.accounts.slice(from, from + 2) };
      response.writeHead(pathname === '/Users' ? 200 : 403, { 'content-type': 'application/json' });
      response.end(JSON.stringify(list));
    }),
  );
  return idp;
}

const account = (n: number, more: Partial<Account> = {}): Account => ({
  id: `a${n}`,
  externalId: `E${n}`,
  userName: `e${n}@example.com`,
  displayName: `Person ${n}`,
  title: 'Consultant',
  ...more,
});
const IDS = [1, 2, 3, 4, 5, 6];
/** The account without the given attribute. */
const without = (name: 'id' | 'externalId', one: Account): Account => {
  const { [name]: _left, ...rest } = one;
  return rest;
};
const source = (url: string, key: string) => ({
  idp: { type: 'scim', base_url: url, auth: { bearer: { env: 'IDP_TOKEN' } }, key },
});
const deactivated = (story: Story) =>
  story
    .users()
    .filter((user) => user.deactivated)
    .map(({ email }) => email);

test.each(
  oneIn(2, [
    ['a user without an id, with the key', 'externalId', without('id', account(2)), ['E2 SYNC_ROW_CELL']],
    ['a user without the key', 'externalId', without('externalId', account(2)), ['? SYNC_ROW_KEY']],
    ['a user without an id, which is the key', 'id', without('id', account(2)), ['? SYNC_ROW_KEY']],
  ]),
)('recognises %s, so others can leave', async (_, key, changed, held) => {
  const idp = await openIdp();
  const story = await openStory();
  story.configure({
    sources: source(idp.url, key),
    users: {
      existence: 'idp',
      leaver: { when: 'false', after_missing_reads: 1 },
      fields: {
        external_unique_id: 'record.?externalId',
        email: 'record.userName',
        name: 'record.?displayName',
        office: { country: '"no"', name: '"Oslo"' },
        title: { en: 'record.?title' },
      },
    },
  });
  idp.accounts = IDS.map((n) => account(n));
  expect((await story.sync()).code).toBe(0);
  // Two people are gone, and either could be the row without a key if nothing named its person.
  idp.accounts = [account(1), changed, account(3), account(4), account(5)];
  for (let run = 0; run < 2; run++) {
    const ran = await story.sync();
    expect([ran.code, summarise(ran.json.held)]).toEqual([4, held]);
    story.clock.advance(13 * HOUR);
  }
  expect(deactivated(story)).toEqual(['e6@example.com']);
});

sweep("hides with an enriching source's row without a key only the person it may belong to", async () => {
  const idp = await openIdp();
  const story = await openStory();
  story.configure({
    sources: source(idp.url, 'externalId'),
    users: {
      enrich: { idp: { join: 'idp.externalId == hr.id' } },
      leaver: { when: '!idp.?active.orValue(false)' },
      fields: { title: { en: 'idp.?title' } },
    },
  });
  idp.accounts = IDS.map((n) => account(n));
  story.deliver(IDS.map((n) => person(`E${n}`)));
  expect((await story.sync()).code).toBe(0);
  // E5 has no account there any more, and the account of E2 has lost its number.
  idp.accounts = IDS.filter((n) => n !== 5).map((n) => (n === 2 ? without('externalId', account(2)) : account(n)));
  const ran = await story.sync();
  expect([ran.code, summarise(ran.json.held)]).toEqual([4, ['? SYNC_ROW_KEY', 'E2 SYNC_MAP_EXPRESSION']]);
  expect(ran.json.held.find(({ key }) => key === '?')?.reason).toContain('It is about "e2@example.com"');
  expect(deactivated(story)).toEqual(['e5@example.com']);
  // A row that does not name its person may belong to anyone.
  idp.accounts = [1, 2, 3, 6]
    .map((n) => account(n))
    .concat(account(7, { userName: 'svc' }))
    .map((one) => (one.id === 'a7' ? without('externalId', one) : one));
  expect(summarise((await story.sync()).json.held)).toEqual([
    '? SYNC_ROW_KEY',
    'E4 SYNC_MAP_EXPRESSION',
    'E5 SYNC_MAP_EXPRESSION',
  ]);
  expect(deactivated(story)).toEqual(['e5@example.com']);
});
