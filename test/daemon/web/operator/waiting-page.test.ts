import { join } from 'node:path';
import { expect, it } from 'vitest';
import { acquireRunLock } from '../../../../src/store/run-lock.js';
import { sweep } from '../../../depth.js';
import { person } from '../../../scenarios/company.js';
import { DAY, openDelivery } from '../../../scenarios/delivered.js';
import { openStory, type Story } from '../../../scenarios/kit.js';
import { Browser } from './pages.js';
import { headersOf, openStoryPages } from './story-pages.js';

async function listHolds(story: Story): Promise<readonly { readonly id: string; readonly key: string }[]> {
  const { stdout } = await story.type('holds', 'list', '--json');
  return (JSON.parse(stdout) as { readonly holds: readonly { readonly id: string; readonly key: string }[] }).holds;
}

/** The cells of each row in the table of both sides. */
function readSides(text: string): readonly (readonly string[])[] {
  const table = /<table class="plain stack sides">.*?<tbody>(.*?)<\/tbody>/s.exec(text)?.[1] ?? '';
  return table
    .split('<tr>')
    .slice(1)
    .map((row) =>
      [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => cell.replace(/<[^>]*>/g, '')),
    );
}

it('shows both sides of a conflict, and takes the chosen one', async () => {
  const story = await openStory();
  story.configure({ conflicts: 'hold', users: { fields: { telephone: 'record.?phone' } } });
  story.deliver([person('E1', { phone: '1' })]);
  await story.sync();
  await story.editUser('E1', { telephone: '2' });
  story.deliver([person('E1', { phone: '3' })]);
  await story.sync();
  const [hold] = await listHolds(story);
  const id = hold?.id ?? '';

  const pages = await openStoryPages(story);
  const browser = new Browser(pages.url);
  const approver = headersOf(pages, 'approver');
  const page = `/tenants/acme/waiting/${id}`;
  const { text } = await browser.get(page, approver);
  expect(text).toContain('<h1>Conflict of user Person E1 (E1)</h1>');
  expect(text).toMatch(/Waiting since <time datetime="[^"]*">/);
  expect(readSides(text)).toEqual([['telephone', '&quot;3&quot;', '&quot;1&quot;', '&quot;2&quot;', 'differs']]);
  expect(text).toMatch(/<button name="take" value="source">Use the source’s value: <bdi>3<\/bdi>/);
  expect(text).toMatch(/<button name="take" value="service">Keep the service’s value: <bdi>2<\/bdi>/);
  expect(text.replace(/<details class="terminal">.*?<\/details>/gs, '')).not.toContain('talent-sync holds');
  expect((await browser.get(page, headersOf(pages, 'viewer'))).text).not.toContain('name="take"');

  const answer = { id, take: 'service', reason: 'she told us' };
  expect((await browser.postAs('/tenants/acme/resolve', answer, headersOf(pages, 'viewer'))).status).toBe(403);
  expect((await browser.postAs('/tenants/acme/resolve', { ...answer, take: 'both' }, approver)).status).toBe(400);
  expect((await browser.postAs('/tenants/acme/resolve', answer, approver)).location).toBe(page);
  // Nothing waits any more, and a page that is still open says so.
  const decided = await browser.get(page, approver);
  expect([decided.status, decided.text]).toEqual([200, expect.stringContaining('Decided: telephone of user E1')]);
  expect(decided.text).toMatch(
    /approver@example\.com.*the service is right: .*she told us.*The next run carries it out/s,
  );
  expect((await browser.get(page, headersOf(pages, 'viewer'))).text).not.toContain('Revoke the decision');
  expect((await browser.postAs('/tenants/acme/resolve', answer, approver)).status).toBe(404);
  const overview = (await browser.get('/tenants/acme', approver)).text;
  expect(overview).toContain('Nothing needs a decision.');
  expect(overview).toMatch(new RegExp(`href="${page}">.*Decided conflict of user .*E1.*the service is right`, 's'));
  // The pages of the person and of the plan show the decision too, and the person's page can revoke it.
  const ofPerson = (await browser.get('/tenants/acme/people/user/E1', approver)).text;
  expect(ofPerson).toMatch(/Decided: telephone.*the service is right: .*she told us.*Revoke the decision/s);
  const plan = (await browser.get('/tenants/acme/plans/newest', approver)).text;
  expect(plan).toMatch(/Decided by approver@example\.com on .*: the service is right/);
  for (const shown of [ofPerson, plan]) expect(shown).not.toMatch(/on hold|holds resolve/);
  const { stdout } = await story.type('audit', 'list', '--json');
  expect((JSON.parse(stdout) as { entries: readonly unknown[] }).entries.at(-1)).toMatchObject({
    ...{ kind: 'conflict resolved', by: 'approver@example.com', winner: 'service', reason: 'she told us' },
  });

  const again = await browser.postAs('/tenants/acme/resolve/revoke', { id, reason: 'wrong Jane' }, approver);
  expect(again.location).toBe(page);
  expect((await browser.get(page, approver)).text).toContain('Use the source’s value');
  expect((await browser.get('/tenants/acme/audit', approver)).text).toMatch(/revoked the decision about.*wrong Jane/s);
  expect((await story.sync()).json.conflicts).toHaveLength(1);
});

const JANE = person('E1', { first: 'Jane', last: 'Doe', email: 'jane@example.com' });
const OTHERS = [person('E2'), person('E3')];

/** Jane has married and was hired again under another number. Only a person can say that it is she. */
async function openNamesake() {
  const story = await openStory();
  story.deliver([JANE, ...OTHERS]);
  await story.sync();
  story.deliver([{ ...JANE, status: 'left' }, { ...JANE, id: 'N9', last: 'Roe' }, ...OTHERS]);
  await story.sync();
  const id = (await listHolds(story)).find(({ key }) => key === 'N9')?.id ?? '';
  return { story, id, pages: await openStoryPages(story) };
}

sweep('links a record to the account that it is held for, like the command', async () => {
  const { story, id, pages } = await openNamesake();
  const browser = new Browser(pages.url);
  const approver = headersOf(pages, 'approver');
  const { text } = await browser.get(`/tenants/acme/waiting/${id}`, approver);
  expect(readSides(text)).toContainEqual(['name', '&quot;Jane Roe&quot;', '&quot;Jane Doe&quot;', 'differs']);
  expect(readSides(text)).toContainEqual([
    'email',
    '&quot;jane@example.com&quot;',
    '&quot;jane@example.com&quot;',
    'same',
  ]);

  const veiled = (await browser.get(`/tenants/acme/waiting/${id}`, headersOf(pages, 'viewer'))).text;
  expect(veiled).not.toMatch(/Jane|Doe|Roe|jane@/);
  expect(readSides(veiled)).toHaveLength(readSides(text).length);

  const ofPerson = (await browser.get('/tenants/acme/people/user/N9', approver)).text;
  expect(ofPerson).toMatch(new RegExp(`On hold.*href="/tenants/acme/waiting/${id}">Decide</a>`, 's'));
  expect(ofPerson).not.toContain('Approve or decline');

  const answer = { id, take: 'same', reason: 'asked HR' };
  const { status, location } = await browser.postAs('/tenants/acme/resolve', answer, approver);
  expect([status, location]).toEqual([303, '/tenants/acme']);
  expect((await story.audit()).at(-1)).toMatchObject({
    ...{ action: 'relink', key: 'N9', cause: { text: 'E1 → N9 by hand: asked HR' } },
  });
});

it('leads from a held delivery to the page that decides it', async () => {
  const story = await openStory();
  story.configure({ sources: { hr: { shrink: { percent: 20 } } } });
  const all = Array.from({ length: 30 }, (_, at) => person(`E${at}`));
  story.deliver(all);
  await story.sync();
  story.deliver(all.slice(0, 12));
  expect((await story.plan()).code).toBe(3);
  const pages = await openStoryPages(story);
  const browser = new Browser(pages.url);
  const overview = (await browser.get('/tenants/acme', headersOf(pages, 'approver'))).text;
  const [, item = ''] = /href="([^"]*)">(?:<bdi>)?A delivery of hr on hold/.exec(overview) ?? [];
  for (const page of ['/tenants/acme', item]) {
    const { text } = await browser.get(page, headersOf(pages, 'approver'));
    expect([page, text]).toEqual([
      page,
      expect.stringContaining('/plans/newest#guards">Review the plan and decide</a>'),
    ]);
  }
  const plan = (await browser.get('/tenants/acme/plans/newest', headersOf(pages, 'approver'))).text;
  expect(plan).toMatch(/id="guards".*sources\.hr\.shrink.*Approve this delivery.*Decline this delivery/s);
});

sweep('reports that a run holds the state', async () => {
  const { story, id, pages } = await openNamesake();
  const lock = acquireRunLock(join(story.folder, 'var'), 'daemon, process 7 on worker-1');
  try {
    const answer = { id, take: 'same', reason: 'asked HR' };
    const { status, text } = await new Browser(pages.url).postAs(
      '/tenants/acme/resolve',
      answer,
      headersOf(pages, 'approver'),
    );
    expect([status, text]).toEqual([409, expect.stringContaining('daemon, process 7 on worker-1')]);
  } finally {
    lock.close();
  }
});

it('lets an operator retry a failed delivery without a run', async () => {
  const { story, report } = await openDelivery();
  report({ people: { type: 'user_report', deliver: { drop: './gone' } } });
  await story.sync();
  story.clock.advance(DAY);
  await story.sync();
  const pages = await openStoryPages(story);
  const browser = new Browser(pages.url);
  pages.configure({
    grants: [{ role: 'operator', who: ['operator@example.com'], groups: [], tenants: ['acme'], pseudonyms: false }],
  });
  const page = await browser.get('/tenants/acme', headersOf(pages, 'operator'));
  expect(page.text).toContain('makes every due delivery, and no other change');
  expect((await browser.postAs('/tenants/acme/now/deliveries', {}, headersOf(pages, 'operator'))).status).toBe(303);
  expect(pages.asked).toEqual([['acme', 'deliveries', 'operator@example.com']]);
  expect(page.text).toMatch(/action="\/tenants\/acme\/now\/deliveries"[^>]*>(?:(?!<\/form>).)*Try again/s);
});
