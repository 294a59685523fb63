import { expect, it } from 'vitest';
import { sweep } from '../../../depth.js';
import { CRM, person } from '../../../scenarios/company.js';
import { openStory, type Story } from '../../../scenarios/kit.js';
import { Browser, type OpenedPages } from './pages.js';
import { GRANTS, headersOf, openStoryPages } from './story-pages.js';

/** A company with an invalid address, and pages that show it. */
async function open(): Promise<{ readonly story: Story; readonly pages: OpenedPages }> {
  const story = await openStory();
  story.deliver([person('E1'), person('E2', { email: 'kim@example.com and more' })]);
  await story.type('sync');
  return { story, pages: await openStoryPages(story) };
}

/** A day two months after the time of the story. */
function dayAfter({ clock }: Story): string {
  return new Date(clock.now() + 60 * 86_400_000).toISOString().slice(0, 10);
}

it('shows waiting items, and acknowledges one with a reason until a day, like the command', async () => {
  const { story, pages } = await open();
  const browser = new Browser(pages.url);
  const approver = headersOf(pages, 'approver');
  const before = await browser.get('/tenants/acme', approver);
  expect(before.text).toContain('kim@example.com and more');
  const id = /name="id" value="([0-9a-f]+)"/.exec(before.text)?.[1] ?? '';

  const fields = { id, reason: 'she marries in May', until: dayAfter(story) };
  expect((await browser.postAs('/tenants/acme/ack', { ...fields, reason: ' ' }, approver)).status).toBe(409);
  expect((await browser.postAs('/tenants/acme/ack', { ...fields, until: '2020-01-01' }, approver)).status).toBe(400);
  expect((await browser.postAs('/tenants/acme/ack', fields, headersOf(pages, 'viewer'))).status).toBe(403);
  const waiting = (await browser.get('/tenants/acme', approver)).text;
  expect(waiting).toMatch(/, waiting since <time/);
  expect(waiting).toContain('Reminders stop until the day below');
  expect(await browser.postAs('/tenants/acme/ack', fields, approver)).toMatchObject({
    status: 303,
    location: '/tenants/acme',
  });
  expect((await browser.get('/tenants/acme', approver)).text).toContain('she marries in May');
  const { entries } = JSON.parse((await story.type('audit', 'list', '--json')).stdout) as {
    readonly entries: readonly { readonly kind: string; readonly by?: string }[];
  };
  expect(entries.at(-1)).toMatchObject({ kind: 'hold acknowledged', by: 'approver@example.com' });

  expect((await browser.postAs('/tenants/acme/ack/revoke', { id }, approver)).status).toBe(303);
  expect((await browser.get('/tenants/acme', approver)).text).not.toContain('she marries in May');
});

it('says after a pause and its end what was recorded, with the moment at which a typed day ends it', async () => {
  const { story, pages } = await open();
  const grant = { role: 'operator', who: ['operator@example.com'], groups: [], tenants: ['acme'] } as const;
  pages.configure({ grants: [{ ...grant, pseudonyms: false }] });
  const browser = new Browser(pages.url);
  const operator = headersOf(pages, 'operator');
  const form = (await browser.get('/tenants/acme', operator)).text;
  expect(form).toContain('<label for="pause-until">Resume at (UTC)</label>');
  const order = { until: dayAfter(story), reason: 'payroll' };
  expect(await browser.postAs('/tenants/acme/pause', order, operator)).toMatchObject({ location: '/tenants/acme' });
  const paused = (await browser.get('/tenants/acme', operator)).text;
  expect(paused).toContain(`role="status" tabindex="-1" autofocus>Paused. Runs resume at ${order.until} 00:00 UTC;`);
  expect(paused).toMatch(new RegExp(`<h3>Paused: runs resume at <time [^>]*>${order.until} 00:00 UTC<`));
  await browser.postAs('/tenants/acme/resume', { reason: 'done' }, operator);
  expect((await browser.get('/tenants/acme', operator)).text).toContain('autofocus>Resumed. Runs follow the schedule');
});

it('shows no message that another page has written', async () => {
  const { pages } = await open();
  const browser = new Browser(pages.url);
  browser.setCookie('said', 'Call%20this%20number');
  expect((await browser.get('/tenants/acme', headersOf(pages, 'approver'))).text).not.toContain('Call this number');
});

sweep('shows projects that share an external id, with the remedy', async () => {
  const story = await openStory();
  story.configure(CRM);
  story.deliver([person('E1')]);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([{ id: 'P1', customer: 'C1', name: 'Dam' }]);
  await story.type('sync');
  const find = await story.others('GET', '/api/v2/company/cv/customers/find?external_unique_id=C1');
  const { id } = find as { readonly id: string };
  const late = { company_project: { external_unique_id: 'P1' } };
  await story.others('POST', `/api/v2/company/cv/customers/${id}/projects`, late);
  await story.type('sync');
  const pages = await openStoryPages(story);
  const { text } = await new Browser(pages.url).get('/tenants/acme', headersOf(pages, 'approver'));
  expect(text).toContain('A field of project Dam (P1)');
  expect(text).toContain('2 projects of the service have the external id');
  expect(text).toContain('move anything worth keeping to one of them, and delete the others');
});

it('shows pseudonyms and no form to people who may not see names', async () => {
  const { pages } = await open();
  const { text } = await new Browser(pages.url).get('/tenants/acme', headersOf(pages, 'viewer'));
  expect(text).not.toContain('kim@example.com');
  expect(text).toMatch(/Email is &quot;p_[0-9a-f]{20}&quot;/);
  expect(text).not.toContain('action="/tenants/acme/ack"');
});

sweep('says why a tenant without a configuration has nothing to show', async () => {
  const { pages } = await open();
  pages.configure({ grants: GRANTS.map((grant) => ({ ...grant, tenants: null })) });
  const answer = await new Browser(pages.url).get('/tenants/globex', headersOf(pages, 'viewer'));
  expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('no configuration')]);
});
