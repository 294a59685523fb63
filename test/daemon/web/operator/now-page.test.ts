import { expect, it } from 'vitest';
import type { TenantStatus } from '../../../../src/daemon/tenants/tenant.js';
import { sweep } from '../../../depth.js';
import { openHeldLeavers } from './held-leavers.js';
import { Browser } from './pages.js';

sweep('asks for a plan or a run in the name of the person, by role', async () => {
  const { pages, headers } = await openHeldLeavers();
  const browser = new Browser(pages.url);
  const post = async (kind: string, who: string) =>
    (await browser.postAs(`/tenants/acme/now/${kind}`, {}, headers(who))).status;
  expect([await post('plan', 'viewer'), await post('plan', 'approver'), await post('run', 'approver')]).toEqual([
    403, 303, 403,
  ]);
  expect(await post('run', 'operator')).toBe(303);
  expect(pages.asked).toEqual([
    ['acme', 'plan', 'approver@example.com'],
    ['acme', 'run', 'operator@example.com'],
  ]);
});

it('streams the progress of a run, with and without scripts, until the run or the role ends', async () => {
  const held = await openHeldLeavers();
  const { pages } = held;
  const working: Pick<TenantStatus, 'phase' | 'progress'> = {
    phase: 'running',
    progress: { step: 'applying', of: 'changes', total: 1_200, done: 300, startedMs: pages.clock.now() - 10_000 },
  };
  held.setStatus(working);
  const page = (await new Browser(pages.url).get('/tenants/acme/now', held.headers('viewer'))).text;
  expect(page).toContain('applying: 300 of 1,200 changes, 30/s, 30 s left');
  expect(page).toContain('<noscript><meta http-equiv="refresh" content="5"></noscript>');

  const response = await fetch(`${pages.url}/tenants/acme/now/events`, { headers: held.headers('viewer') });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const readUntil = async (part: string): Promise<string> => {
    for (let text = ''; ; ) {
      const { value, done } = (await reader?.read()) ?? { value: '', done: true };
      text += value ?? '';
      if (done || text.includes(part)) return text;
    }
  };
  expect(await readUntil('event: progress')).toContain('300 of 1,200 changes');
  held.setStatus({ ...working, progress: { ...working.progress, done: 900 } as TenantStatus['progress'] & object });
  expect(await readUntil('900 of')).toContain('900 of 1,200 changes');
  held.setStatus({ phase: 'idle', progress: null });
  expect(await readUntil('event: ended')).toContain('event: ended');

  held.setStatus(working);
  const closing = new AbortController();
  const open = async (who: string): Promise<number> =>
    (await fetch(`${pages.url}/tenants/acme/now/events`, { headers: held.headers(who), signal: closing.signal }))
      .status;
  for (let i = 0; i < 10; i += 1) expect(await open('operator')).toBe(200);
  expect([await open('operator'), await open('approver')]).toEqual([503, 200]);
  closing.abort();

  const other = await fetch(`${pages.url}/tenants/acme/now/events`, { headers: held.headers('viewer') });
  pages.configure({ grants: [] });
  expect(await other.text()).not.toContain('event: ended');
});

sweep('limits open streams, still answers requests, and ends the streams of a revoked token', async () => {
  const held = await openHeldLeavers();
  const { pages } = held;
  const people = Array.from({ length: 25 }, (_one, i) => `watcher${i}`);
  const who = people.map((name) => `${name}@example.com`);
  pages.configure({ grants: [{ role: 'viewer', who, groups: [], tenants: ['acme'], pseudonyms: false }] });
  const progress = {
    ...({ step: 'applying', of: 'changes', total: 1_200, done: 300 } as const),
    startedMs: pages.clock.now() - 10_000,
  };
  held.setStatus({ phase: 'running', progress });
  const closing = new AbortController();
  const streams = await Promise.all(
    people.flatMap((name) => {
      const headers = held.headers(name);
      return Array.from({ length: 10 }, async () => {
        const answer = await fetch(`${pages.url}/tenants/acme/now/events`, { headers, signal: closing.signal });
        return { name, answer };
      });
    }),
  );
  const counted = (status: number): number => streams.filter(({ answer }) => answer.status === status).length;
  expect([streams.length, counted(200), counted(503)]).toEqual([250, 50, 200]);
  const began = performance.now();
  expect((await new Browser(pages.url).get('/tenants/acme/now', held.headers('watcher24'))).status).toBe(200);
  expect(performance.now() - began).toBeLessThan(5_000);

  const open = streams.filter(({ answer }) => answer.status === 200);
  const [first] = open;
  const ended = new Set<string>();
  const reads = open.map(async ({ name, answer }) => {
    const said = await answer.text().catch(() => null);
    if (said !== null) ended.add(name);
  });
  // The role stays in the configuration; only the token is revoked.
  pages.store.revoke(`${first?.name}@example.com`);
  await expect.poll(() => [...ended], { timeout: 5_000 }).toEqual([first?.name]);
  closing.abort();
  await Promise.all(reads);
  // Closed streams no longer count.
  await expect
    .poll(async () => {
      const again = new AbortController();
      const answer = await fetch(`${pages.url}/tenants/acme/now/events`, {
        headers: held.headers('watcher3'),
        signal: again.signal,
      });
      again.abort();
      return answer.status;
    })
    .toBe(200);
});

sweep('counts down to the run after a decision', async () => {
  const { pages, headers } = await openHeldLeavers();
  const read = async () => (await new Browser(pages.url).get('/tenants/acme/now', headers('viewer'))).text;
  expect(await read()).not.toContain('A run starts');
  const atMs = pages.clock.now();
  pages.setNext({ atMs: atMs + 46_500, signals: [{ kind: 'approval', source: null, atMs }] });
  const text = await read();
  expect(text).toContain('A run starts in <span data-countdown="47">47</span> s');
  expect(text).toContain('Until then <a href="/tenants/acme/plans/newest#approvals">an approval can be revoked</a>');
  const plan = (await new Browser(pages.url).get('/tenants/acme/plans/newest', headers('viewer'))).text;
  expect(plan).toContain('A run starts in <span data-countdown="47">47</span> s');
  expect(text).toContain('<noscript><meta http-equiv="refresh" content="5"></noscript>');
});
