import { expect, it } from 'vitest';
import { SyncError } from '../../../../src/base/errors.js';
import type { Registered } from '../../../../src/daemon/tenants/registry.js';
import type { WaitingItem } from '../../../../src/model/waiting.js';
import { sweep } from '../../../depth.js';
import { FACTS, STATUS, tenant } from './facts.js';
import { Browser, openPages } from './pages.js';

function waits(item: Partial<WaitingItem>): WaitingItem {
  return {
    ...{ id: 'h1', kind: 'record', of: 'users', count: 1, cause: 'No e-mail', resolve: 'Give one', code: null },
    ...{ since: '2026-11-20T08:00:00.000Z', until: null, keys: [] },
    ...item,
  };
}

function tenantWith(name: string, waiting: readonly WaitingItem[]): Registered {
  return { ...tenant(name), status: { ...STATUS, facts: { ...FACTS, waiting } } };
}

function grant(tenants: readonly string[] | null, pseudonyms = false) {
  return { role: 'viewer', who: ['kim@example.com'], groups: [], tenants, pseudonyms } as const;
}

async function openInbox(
  tenants: readonly Registered[],
  options: { grants?: readonly ReturnType<typeof grant>[]; query?: string; path?: string } = {},
): Promise<string> {
  const pages = await openPages({ settings: { grants: options.grants ?? [grant(null)] }, tenants });
  const headers = { authorization: `Bearer ${pages.giveToken('kim@example.com')}`, accept: 'text/html' };
  const { status, text } = await new Browser(pages.url).get(
    `${options.path ?? '/inbox'}${options.query ?? ''}`,
    headers,
  );
  expect(status).toBe(200);
  return text;
}

/** The links of the rows in their order. */
function listRows(text: string): readonly string[] {
  return [...text.matchAll(/<th scope="row">.*?<a href="([^"]*)"/g)].map(([, link = '']) => link);
}

it('lists waiting items of all tenants by urgency, the oldest first within a kind', async () => {
  const text = await openInbox([
    tenantWith('acme', [
      waits({ id: 'young', since: '2026-11-22T08:00:00.000Z' }),
      waits({ id: 'joiner', kind: 'joiner', cause: 'The first day has not come' }),
    ]),
    tenantWith('globex', [
      waits({ id: 'old' }),
      waits({ id: 'guard', kind: 'guard', of: 'users.deactivate', count: 49 }),
    ]),
  ]);
  expect(listRows(text)).toEqual([
    '/tenants/globex/waiting/guard',
    '/tenants/globex/waiting/old',
    '/tenants/acme/waiting/young',
  ]);
  expect(text).toContain('49 changes for an approval, 2 held records, in 2 tenants.');
  const options = [...text.matchAll(/<option value="([^"]*)"[^>]*>([^<]*)<\/option>/g)];
  expect(options.map(([, ...option]) => option)).toEqual([
    ['', 'all'],
    ['acme', 'acme'],
    ['globex', 'globex'],
  ]);
  expect(text).toContain('data-name="For:">3 days</td>');
  expect(text).toContain('also show items that need no decision from you (1)');
  expect(text).toContain('<a href="/tenants/globex/plans/newest#guards">Look at the plan');
});

const REJECTED = new SyncError('SYNC_CONFIG_INVALID', {
  message: 'kim@example.com has no role.',
  problems: ['1', '2', '3', '4', '5'].map((i) => ({ place: `sources.${i}`, message: `Wrong: pat${i}@example.com` })),
  remedy: 'Fix it.',
});

it('starts with tenants that do not run: why, since when, and where to fix it', async () => {
  const pause = { at: '2026-11-21T08:00:00.000Z', until: '2026-12-24T08:00:00.000Z', by: 'pat', reason: 'payroll' };
  const broken = { ...STATUS, phase: 'broken', because: 'The disk is full.', facts: FACTS } as const;
  const text = await openInbox([
    tenantWith('acme', [waits({ id: 'guard', kind: 'guard', of: 'users.deactivate', count: 49 })]),
    { ...tenant('globex'), status: { ...STATUS, facts: { ...FACTS, pause } } },
    { ...tenant('initech'), status: broken },
    { ...tenant('umbrella'), problem: REJECTED, problemSinceMs: Date.parse('2026-11-23T05:00:00.000Z') },
  ]);
  expect(listRows(text)).toEqual([
    '/tenants/umbrella/configuration',
    '/tenants/initech',
    '/tenants/globex',
    '/tenants/acme/waiting/guard',
  ]);
  expect(text).toContain('3 tenants need attention before the next run. 49 changes for an approval, in 1 tenant.');
  expect(text).toMatch(/The configuration is rejected<.*umbrella.*data-name="For:">3 hours</);
  expect(text).toMatch(/sources\.3<.*… and 2 more/);
  expect(text).not.toContain('sources.4');
  expect(text).toContain('The disk is full.');
  expect(text).toMatch(/Runs resume at <time[^>]*>2026-12-24 08:00 UTC<.*pat.*payroll/);
});

it('hides addresses in the reasons of a rejected configuration from a viewer who may not see names', async () => {
  const tenants = [{ ...tenant('acme'), problem: REJECTED }];
  const open = await openInbox(tenants);
  expect(open).toContain('pat1@example.com');
  const veiled = await openInbox(tenants, { grants: [grant(null, true)] });
  expect(veiled).toContain('(hidden) has no role.');
  expect(veiled).not.toMatch(/pat\d@|kim@example\.com has/);
});

it('starts the page of a stopped tenant with its reason, even without other content', async () => {
  const pages = await openPages({
    settings: { grants: [grant(null)] },
    tenants: [
      { ...tenant('acme'), problem: REJECTED },
      { ...tenant('globex'), status: { ...STATUS, phase: 'stopped', because: 'A migration failed.' } },
    ],
  });
  const headers = { authorization: `Bearer ${pages.giveToken('kim@example.com')}`, accept: 'text/html' };
  const browser = new Browser(pages.url);
  const rejected = await browser.get('/tenants/acme', headers);
  expect([rejected.status, rejected.text]).toEqual([200, expect.stringContaining('The configuration is rejected')]);
  expect(rejected.text).toContain('<a href="/tenants/acme/configuration">Look at the configuration</a>');
  expect((await browser.get('/tenants/globex', headers)).text).toContain('A migration failed.');
});

sweep('hides tenants of others, and filters by the requested tenant', async () => {
  const tenants = [tenantWith('acme', [waits({ id: 'a' })]), tenantWith('globex', [waits({ id: 'b' })])];
  expect(listRows(await openInbox(tenants, { grants: [grant(['acme'])] }))).toEqual(['/tenants/acme/waiting/a']);
  expect(listRows(await openInbox(tenants, { query: '?tenant=globex' }))).toEqual(['/tenants/globex/waiting/b']);
  const none = await openInbox([...tenants, tenantWith('other', [])], { grants: [grant(['other'])] });
  expect([listRows(none), none.includes('globex')]).toEqual([[], false]);
});

it('names a single record by its key, veils keys that are addresses, and counts several records', async () => {
  const tenants = [
    tenantWith('acme', [
      waits({ id: 'a', keys: ['E17'] }),
      waits({ id: 'b', keys: ['pat@example.com'] }),
      waits({ id: 'c', count: 2, keys: ['E18', 'E19'] }),
    ]),
  ];
  const names = (text: string) =>
    [...text.matchAll(/<th scope="row">(.*?)<\/th>/g)].map(([, name = '']) => name.replace(/<[^>]*>/g, ''));
  expect(names(await openInbox(tenants))).toEqual(['User E17', 'User pat@example.com', '2 users held']);
  const veiled = await openInbox(tenants, { grants: [grant(null, true)] });
  expect(names(veiled)[1]).toMatch(/^User p_[0-9a-f]{20}$/);
});

it("shows a person's approval to the others, but not to that person", async () => {
  const half = waits({
    id: 'half',
    kind: 'guard',
    of: 'users.deactivate',
    count: 49,
    approved_by: 'pat@example.com',
    cause: 'real events: moved',
  });
  const own = waits({ id: 'own', kind: 'guard', of: 'users.update', count: 2, approved_by: 'kim' });
  const tenants = [tenantWith('acme', [half, own])];
  const text = await openInbox(tenants);
  expect(listRows(text)).toEqual(['/tenants/acme/waiting/half']);
  expect(text).toContain('49 changes for a second approval (users.deactivate)');
  expect(text).toContain('Probably real: moved');
  // The list of tenants counts the same items.
  expect(await openInbox(tenants, { path: '/' })).toContain('data-name="To decide:" class="number">1</td>');
  expect(listRows(await openInbox(tenants, { query: '?calm=yes' }))).toHaveLength(2);
});

it('shows addresses as pseudonyms to people who may not see names', async () => {
  const row = { code: 'SYNC_ROW_CELL', cause: 'kim@example.com and pat@example.com have one number' };
  const doubt = { code: 'SYNC_MATCH_CLAIMED', cause: 'Jane Roe here, Jane Doe there' };
  const tenants = [tenantWith('acme', [waits(row), waits(doubt)])];
  const text = await openInbox(tenants, { grants: [grant(null, true)] });
  expect(text).toMatch(/p_[0-9a-f]{20} and p_[0-9a-f]{20} have one number/);
  expect(text).not.toMatch(/pat@example\.com|Jane/);
});

sweep('splits a long list into pages', async () => {
  const many = Array.from({ length: 450 }, (_, i) => waits({ id: `h${i}` }));
  const tenants = [tenantWith('acme', many)];
  expect(listRows(await openInbox(tenants))).toHaveLength(200);
  expect(listRows(await openInbox(tenants, { query: '?from=400' }))).toHaveLength(50);
  expect(await openInbox(tenants, { query: '?from=-7' })).toContain('1 to 200 of 450');
});
