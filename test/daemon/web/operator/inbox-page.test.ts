import { expect, it } from 'vitest';
import type { Registered } from '../../../../src/daemon/tenants/registry.js';
import type { TenantFacts } from '../../../../src/daemon/tenants/tenant-facts.js';
import type { WaitingItem } from '../../../../src/model/waiting.js';
import { sweep } from '../../../depth.js';
import { Browser, openPages, STATUS, tenant } from './pages.js';

const FACTS: TenantFacts = {
  ...{ lastGoodRunMs: null, pause: null, sources: [], mirror: [], waiting: [], pseudonymKey: 'key' },
  ...{ nearMisses: null, documents: [], outbox: [] },
};
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
  options: { grants?: readonly ReturnType<typeof grant>[]; query?: string } = {},
): Promise<string> {
  const pages = await openPages({ settings: { grants: options.grants ?? [grant(null)] }, tenants });
  const headers = { authorization: `Bearer ${pages.giveToken('kim@example.com')}`, accept: 'text/html' };
  const { status, text } = await new Browser(pages.url).get(`/inbox${options.query ?? ''}`, headers);
  expect(status).toBe(200);
  return text;
}

/** What the rows link to, in their order. */
function listRows(text: string): readonly string[] {
  return [...text.matchAll(/<th scope="row">.*?<a href="([^"]*)"/g)].map(([, link = '']) => link);
}

it('shows what waits of all tenants, the most urgent kind first, and of one kind what has waited longest', async () => {
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
  expect(text).toContain('<option value="globex">globex</option>');
  expect(text).toContain('data-name="For:">3 days</td>');
  expect(text).toContain('also what waits for nothing of yours (1)');
  expect(text).toContain('<a href="/tenants/globex/plans/newest">Look at the plan');
});

sweep('shows nothing of tenants of others, and of one tenant what was asked for', async () => {
  const tenants = [tenantWith('acme', [waits({ id: 'a' })]), tenantWith('globex', [waits({ id: 'b' })])];
  expect(listRows(await openInbox(tenants, { grants: [grant(['acme'])] }))).toEqual(['/tenants/acme/waiting/a']);
  expect(listRows(await openInbox(tenants, { query: '?tenant=globex' }))).toEqual(['/tenants/globex/waiting/b']);
  const none = await openInbox(tenants, { grants: [grant(['other'])] });
  expect([listRows(none), none.includes('globex')]).toEqual([[], false]);
});

it('names one record by its key, which is veiled where it is an address, and several by their number', async () => {
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

it('shows what one person has approved to the others, and not to that person', async () => {
  const half = waits({ id: 'half', kind: 'guard', of: 'users.deactivate', count: 49, approved_by: 'pat@example.com' });
  const own = waits({ id: 'own', kind: 'guard', of: 'users.update', count: 2, approved_by: 'kim' });
  const tenants = [tenantWith('acme', [half, own])];
  const text = await openInbox(tenants);
  expect(listRows(text)).toEqual(['/tenants/acme/waiting/half']);
  expect(text).toContain('49 changes for a second approval (users.deactivate)');
  expect(listRows(await openInbox(tenants, { query: '?calm=yes' }))).toHaveLength(2);
});

it('shows addresses as pseudonyms to whom the configuration shows no names', async () => {
  const row = { code: 'SYNC_ROW_CELL', cause: 'kim@example.com and pat@example.com have one number' };
  const doubt = { code: 'SYNC_MATCH_CLAIMED', cause: 'Jane Roe here, Jane Doe there' };
  const tenants = [tenantWith('acme', [waits(row), waits(doubt)])];
  const text = await openInbox(tenants, { grants: [grant(null, true)] });
  expect(text).toMatch(/p_[0-9a-f]{20} and p_[0-9a-f]{20} have one number/);
  expect(text).not.toMatch(/pat@example\.com|Jane/);
});

sweep('pages through many', async () => {
  const many = Array.from({ length: 450 }, (_, i) => waits({ id: `h${i}` }));
  const tenants = [tenantWith('acme', many)];
  expect(listRows(await openInbox(tenants))).toHaveLength(200);
  expect(listRows(await openInbox(tenants, { query: '?from=400' }))).toHaveLength(50);
  expect(await openInbox(tenants, { query: '?from=-7' })).toContain('1 to 200 of 450');
});
