import { beforeAll, expect, it } from 'vitest';
import { oneIn } from '../../../depth.js';
import { CRM, person } from '../../../scenarios/company.js';
import { openStory, type Story } from '../../../scenarios/kit.js';
import type { OpenedPages } from './pages.js';
import { headersOf, openStoryPages } from './story-pages.js';

/** Part of every name, address, number and title of a person, and of nothing else. */

let story: Story;
let pages: OpenedPages;
let run: string;
let plan: string;
let holds: readonly string[];

const zqx = (id: string, more: object = {}) =>
  person(id, {
    first: `Zqxfirst${id}`,
    last: `Zqxlast${id}`,
    email: `zqx.${id.toLowerCase()}@example.com`,
    title: `Zqxtitle ${id}`,
    phone: `zqx-555-${id}`,
    ...more,
  });

/**
 * Everything that mentions people: first contact, changes, leavers held by a guard, look-alikes, unusable rows and
 * taken values.
 */
beforeAll(async () => {
  story = await openStory({
    users: [
      {
        country: 'no',
        office: 'Oslo',
        email: 'zqx.e1@example.com',
        name: 'Zqxfirstelse Zqxlastelse',
        title: { en: 'Zqxtitle old' },
      },
      { country: 'no', office: 'Oslo', email: 'zqx.e2@example.com', name: 'Zqxold Zqxname' },
      { country: 'no', office: 'Oslo', email: 'zqx.nobody@example.com', name: 'Zqxnobody Zqxatall' },
    ],
  });
  story.configure(CRM);
  story.configure({
    sources: { hr: { columns: { rank: { type: 'int', optional: true } } } },
    users: {
      unowned: 'report',
      fields: { telephone: 'record.?phone', born_year: 'record.?rank' },
      leaver: { when: 'record.?status.orValue("") == "left"' },
    },
    guards: { users: { fields: { name: { max: 0 } } } },
  });
  story.deliverCompanies([{ id: 'C1', name: 'Acme' }]);
  story.deliverDeals([
    { id: 'D1', customer: 'C1', name: 'Deal', owners: ['zqx.e4@example.com', 'zqx.unknown@example.com'] },
  ]);
  const rows = Array.from({ length: 30 }, (_, index) => zqx(`E${index + 1}`));
  story.deliver(rows);
  await story.sync();
  story.deliver([
    ...rows.slice(0, 4).map((row) => ({ ...row, last: 'Zqxmarried', title: 'Zqxtitle new', phone: 'zqx-new' })),
    ...rows.slice(4, 20).map((row) => ({ ...row, status: 'left' })),
    { ...rows[20], email: 'zqx not an address' },
    { ...rows[21], rank: 'zqx-year' },
    { ...rows[22], office: 'Atlantis' },
    { ...rows[23], id: 'N24' },
    { ...rows[24], first: 'ZqxÃ¸rgen' },
    { ...rows[25], email: 'zqx.e27@example.com' },
    { ...rows[26] },
    zqx('N30', { email: 'zqx.e29@example.com', first: 'Zqxother', last: 'Zqxperson' }),
    ...rows.slice(27),
    zqx('N40', { first: 'Zqxfirste5', last: 'ZqxlastE5', email: 'zqx.n40@example.com' }),
  ]);
  const planned = await story.plan();
  plan = planned.json.plan;
  const ran = await story.sync();
  run = ran.json.run;
  holds = ran.json.held.map(({ id }) => id);
  await story.approve({ who: 'user:E5', reason: 'agreed' });
  await story.type('decline', '--who', 'user:E6', '--reason', 'stays');
  await story.type('decline', '--who', 'user:E1', '--field', 'name', '--reason', 'stays');
  await story.sync();
  pages = await openStoryPages(story);
});

async function read(path: string): Promise<{ readonly status: number; readonly text: string }> {
  const accept = path.startsWith('/api/') ? 'application/json' : 'text/html';
  const response = await fetch(`${pages.url}${path}`, { headers: { ...headersOf(pages, 'viewer'), accept } });
  return { status: response.status, text: await response.text() };
}

/** Random text, such as form tokens, may contain any letters. */
const RANDOM = /(?<=value=")[\w-]{40,}(?=")/g;

function leaks(text: string): readonly string[] {
  return [...text.replaceAll(RANDOM, '').matchAll(/.{0,80}zqx.{0,40}/gi)].map(([around]) => around).slice(0, 5);
}

it('shows a reader of pseudonyms no name, address, number or title of any person', async () => {
  const runs = (await story.runs()).json.runs.map(({ id }) => id);
  const keys = ['E1', 'E2', 'E5', 'E21', 'E22', 'E24', 'E25', 'E26', 'N24', 'N30', 'N40'];
  const api = [
    '/status',
    '/runs',
    ...runs.map((id) => `/runs/${id}`),
    `/plans/${plan}`,
    '/plans/newest',
    '/holds',
    ...oneIn(1 / 2, holds, 1).map((id) => `/holds/${id}`),
    ...oneIn(1 / 2, keys, 1).flatMap((key) => [`/explain/user/${key}`, `/people/users/${key}`]),
    '/explain/project/D1',
    '/approvals',
    '/declines',
    '/audit',
    '/audit?who=E1&counts=true',
    '/audit?who=E',
    '/audit/entries/1',
    `/audit/entries/${run}`,
    '/messages',
    '/now',
  ].map((path) => `/api/tenants/acme${path}`);
  const shown = [
    ...['/', '/inbox'],
    ...[
      '',
      '/now',
      '/runs',
      '/people',
      '/people?q=E1',
      '/audit/check',
      '/audit/export',
      '/audit',
      '/audit?kind=changes&entity=users&action=update&field=title',
      '/audit?who=E1',
      '/audit?who=E',
      '/configuration',
      '/plans/newest',
      `/plans/${plan}`,
    ].map((path) => `/tenants/acme${path}`),
    ...runs.flatMap((id) => [`/tenants/acme/runs/${id}`, `/tenants/acme/audit?run=${id}`]),
    ...oneIn(1 / 2, keys).flatMap((key) =>
      [`explain?kind=user&q=${key}`, `user/${key}`].map((path) => `/tenants/acme/people/${path}`),
    ),
    ...oneIn(1 / 2, holds).map((id) => `/tenants/acme/waiting/${id}`),
  ];
  const found: Record<string, readonly string[]> = {};
  const statuses: Record<string, number> = {};
  for (const path of [...api, ...shown]) {
    const { status, text } = await read(path);
    statuses[path] = status;
    const around = leaks(text);
    if (around.length > 0) found[path] = around;
  }
  if (Object.keys(found).length > 0) console.log(JSON.stringify({ statuses, found }, null, 1));
  expect(found).toEqual({});
});
