import { expect, it } from 'vitest';
import type { TenantStatus } from '../../../src/tenants/tenant.js';
import { openHeldLeavers } from './held-leavers.js';
import { Browser } from './pages.js';

it('asks for a plan or a run in the name of the person, by role', async () => {
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

it('tells how a run gets on, with and without scripts, and ends when it has ended or the role is gone', async () => {
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
