import { createServer } from 'node:http';
import { listenOnLoopback } from '../loopback.js';
import type { Story } from '../scenarios/kit.js';
import type { Edit, Tables } from './history.js';
import { type Part, text } from './part.js';
import type { Random } from './random.js';

interface Account {
  readonly id: string;
  readonly externalId: string;
  readonly userName: string;
  readonly active: boolean;
  readonly phoneNumbers: readonly object[];
}

interface Provider {
  readonly url: string;
  accounts: readonly Account[];
}

const providers = new WeakMap<Story, Provider>();
/** Few users per page, so that a listing takes several calls. */
export const PAGE_SIZE = 3;

/** An identity provider that lists its users and shows each by id. @returns its address */
export async function openProvider(story: Story): Promise<string> {
  const provider: { accounts: readonly Account[] } = { accounts: [] };
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/scim+json' }).end(JSON.stringify(body));
    };
    if (request.headers.authorization !== `Bearer ${story.env.IDP_TOKEN}`) return answer(401, {});
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://idp');
    const { accounts } = provider;
    if (pathname !== '/Users') {
      const found = accounts.find(({ id }) => pathname === `/Users/${id}`);
      return answer(found === undefined ? 404 : 200, found ?? {});
    }
    const start = Number(searchParams.get('startIndex') ?? 1) - 1;
    const Resources = accounts.slice(start, start + Number(searchParams.get('count') ?? PAGE_SIZE));
    answer(200, { totalResults: accounts.length, startIndex: start + 1, itemsPerPage: Resources.length, Resources });
  });
  const url = await listenOnLoopback(server);
  providers.set(story, Object.assign(provider, { url }));
  return url;
}

function edit(random: Random, { accounts, people }: Tables, fresh: () => number): Edit | null {
  const table = 'accounts';
  const number = fresh();
  const named = new Set([...accounts.values()].map((cells) => text(cells, 'person')));
  const without = [...people.keys()].filter((key) => !named.has(key) && key !== 'E0');
  const keys = [...accounts.keys()];
  if (without.length > 0 && (keys.length < 4 || random.chance(0.3))) {
    const cells = {
      person: random.pick(without),
      upn: `u${number}@example.com`,
      phone: random.pick(['', '1', '2']),
      active: random.chance(0.9) ? '' : 'no',
    };
    return { do: 'add', table, key: `A${number}`, cells };
  }
  if (keys.length === 0) return null;
  const key = random.pick(keys);
  if (random.chance(0.15)) return { do: 'remove', table, key };
  const cells = random.pick([
    { phone: random.pick(['', '1', '2', '3']) },
    { upn: `u${number}@example.com` },
    { active: random.pick(['', '', 'no']) },
  ]);
  return { do: 'set', table, key, cells };
}

/** Accounts complete people (`PEOPLE`), and create nobody. */
export const ACCOUNTS: Part = {
  of: 'account',
  table: 'accounts',
  source: 'idp',
  config: () => ({
    sources: { idp: { type: 'scim', auth: { bearer: { env: 'IDP_TOKEN' } }, page_size: PAGE_SIZE, timeout: '1s' } },
    users: {
      enrich: { idp: { join: 'idp.externalId == staff.id' } },
      leaver: { when: 'record.?status.orValue("") == "left" || !idp.?active.orValue(true)' },
      fields: { upn: 'idp.?userName', landline: { value: 'idp.?phone', when_empty: 'clear' } },
    },
  }),
  edit,
  deliver(story, rows) {
    const provider = providers.get(story);
    if (provider === undefined) throw new Error('The story has no identity provider.');
    // A source without anybody says nothing, so a guest unknown to HR always exists.
    const all = [...rows, ['A0', { person: 'guest', upn: 'guest@example.com' }] as const];
    provider.accounts = all.map(([id, cells]) => ({
      id,
      externalId: text(cells, 'person'),
      userName: text(cells, 'upn'),
      active: text(cells, 'active') === '',
      phoneNumbers: text(cells, 'phone') === '' ? [] : [{ type: 'mobile', value: text(cells, 'phone') }],
    }));
  },
  createReference: () => ({ expect: ({ after }) => after }),
  describe: () => [],
  countWrites: () => 0,
};
