import { expect, it } from 'vitest';
import { API_ROUTES } from '../../../../src/daemon/web/operator/api/answer-api.js';
import { sweep } from '../../../depth.js';
import { person } from '../../../scenarios/company.js';
import { openStory } from '../../../scenarios/kit.js';
import type { OpenedPages } from './pages.js';
import { openStoryPages } from './story-pages.js';

/* Attacks on the interface. Roles per route are in the table of roles.test.ts. */

async function open() {
  const story = await openStory();
  story.configure({ guards: { users: { create: { max: 2 } } } });
  story.deliver(['E1', 'E2', 'E3'].map((key) => person(key)));
  await story.sync();
  const pages = await openStoryPages(story);
  const token = pages.giveToken('approver@example.com');
  return { story, pages, ask: (path: string, init: Asking = {}) => ask(pages, token, path, init) };
}

interface Asking {
  readonly method?: string;
  readonly body?: unknown;
  readonly type?: string;
}

async function ask(pages: OpenedPages, token: string, path: string, { method = 'GET', body, type }: Asking) {
  const response = await fetch(new URL(path, pages.url), {
    method,
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': type ?? 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() };
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

sweep('answers each address only for its own methods', async () => {
  const { ask: send, pages } = await open();
  const known = new Set(API_ROUTES.map(({ method, path }) => `${method} ${path}`));
  for (const path of new Set(API_ROUTES.map((route) => route.path))) {
    for (const method of METHODS) {
      if (known.has(`${method} ${path}`)) continue;
      pages.clock.advance(60_000);
      const { status } = await send(path.replace(':tenant', 'acme').replaceAll(/:\w+/g, 'x'), { method });
      expect([method, path, status]).toEqual([method, path, 404]);
    }
  }
});

const ORDER = { guard: 'users.create', reason: 'x' };

const FORM = 'application/x-www-form-urlencoded';
/** Contents that an approval must not have. */
const ORDERS: readonly (readonly [string, Asking['body'], string?])[] = [
  ['who approves', { ...ORDER, by: 'boss@example.com' }],
  ["another tenant's name", { ...ORDER, tenant: 'globex' }],
  ['an approval by a second person', { ...ORDER, second: true, waiting_for_second: 0 }],
  ['its own prototype', '{"guard":"users.create","reason":"x","__proto__":{"by":"boss@example.com"}}'],
  ['its own constructor', { ...ORDER, constructor: { prototype: { by: 'boss' } } }],
  ['an infinite time', { ...ORDER, expires: Number.MAX_VALUE }],
  ['a time in the past', { ...ORDER, expires: -1 }],
  ['too many changes', { ...ORDER, changes: Array.from({ length: 10_001 }, () => 'c') }],
  ['a reason of spaces', { ...ORDER, reason: '   ' }],
  ['a guard that is a list', { ...ORDER, guard: ['users.create'] }],
  ['no JSON', '{"guard":', 'application/json'],
  ['XML', '<guard/>', 'application/xml'],
  ['the body of a form', 'guard=users.create&reason=x', FORM],
];

it('accepts only the permitted fields of an approval', async () => {
  const { ask: send, pages } = await open();
  // The accepted one comes last.
  for (const [what, body, type] of ORDERS) {
    pages.clock.advance(60_000);
    const answer = await send('/api/tenants/acme/approvals', {
      ...{ method: 'POST', body },
      ...(type === undefined ? {} : { type }),
    });
    if (type !== FORM) {
      expect([what, answer.status, answer.type.split(';')[0]]).toEqual([
        what,
        expect.toSatisfy((code: number) => code >= 400 && code < 500),
        'application/problem+json',
      ]);
      expect([what, JSON.parse((await send('/api/tenants/acme/approvals')).text).approvals]).toEqual([what, []]);
    }
    // A form is accepted too, but in the person's own name.
    expect([what, answer.text.includes('boss')]).toEqual([what, false]);
  }
});

/** Each is answered normally or rejected with a reason. */
const ODD_PATHS = [
  'runs?last=1e9',
  'runs?last=-1',
  'runs?last=1;drop table runs',
  'audit?last=10001',
  'audit?run=%00',
  "audit?who=user:'; DROP TABLE audit; --",
  'audit?from=9999999-01-01T00:00:00Z',
  'audit?to=2026-13-45T00:00:00Z',
  `audit?who=${'x'.repeat(2_000)}`,
  'holds/%2e%2e%2f%2e%2e',
  'holds/%25',
  'plans/..%2fstate.db',
  'plans/newest%00',
  'explain/user/%F0%9F%92%A9',
  'explain/__proto__/x',
  'audit/entries/NaN',
  'audit/entries/-1',
  'now/w1',
  'runs/__proto__',
];

sweep('answers an odd address normally or rejects it with a reason', async () => {
  const { ask: send, story, pages } = await open();
  for (const path of ODD_PATHS) {
    pages.clock.advance(60_000);
    const { status, type, text } = await send(`/api/tenants/acme/${path}`);
    expect([path, status]).toEqual([path, expect.toSatisfy((code: number) => code < 500)]);
    if (status !== 200) expect([path, type]).toEqual([path, expect.stringContaining('application/problem+json')]);
    expect(text, path).not.toMatch(/SQLITE|at .*\.[jt]s:\d|ENOENT/);
    expect(text, path).not.toContain(story.env.TALENT_API_KEY);
  }
});

it('finds no ids of another tenant, whatever the address contains', async () => {
  const { ask: send, pages } = await open();
  const [run] = JSON.parse((await send('/api/tenants/acme/runs')).text).runs as readonly { readonly id: string }[];
  const elsewhere = [`runs/${run?.id}`, 'holds', 'plans/newest', 'audit', 'configuration', 'status', 'now'];
  for (const path of elsewhere) {
    for (const tenant of ['globex', 'ACME', 'acme%00', 'acme%2f..%2fglobex', 'none']) {
      pages.clock.advance(60_000);
      const { status, text } = await send(`/api/tenants/${tenant}/${path}`);
      expect([tenant, path, status, text.includes(run?.id ?? '-')]).toEqual([tenant, path, 404, false]);
    }
  }
});

it('counts one approval sent many times by page and command as one', async () => {
  const { ask: send, story } = await open();
  const post = () => send('/api/tenants/acme/approvals', { method: 'POST', body: ORDER });
  const sent = await Promise.all([
    ...Array.from({ length: 5 }, post),
    ...Array.from({ length: 3 }, () => story.type('approve', '--guard', 'users.create', '--reason', 'y', '--json')),
  ]);
  const told = sent.map((one) => JSON.parse('text' in one ? one.text : one.stdout) as { approved: number });
  expect(told.reduce((sum, { approved }) => sum + approved, 0)).toBe(3);
  const { approvals } = JSON.parse((await send('/api/tenants/acme/approvals')).text);
  expect(approvals).toMatchObject([{ changes: 3 }]);
  const { entries } = JSON.parse((await story.type('audit', 'list', '--json')).stdout);
  expect(entries.filter(({ kind }: { readonly kind?: string }) => kind === 'approval given')).toHaveLength(1);
  // Once carried out, the approval is spent; sending it again approves nothing.
  await story.sync();
  const again = await post();
  expect([again.status, JSON.parse(again.text).approved ?? 0]).toEqual([409, 0]);
});
