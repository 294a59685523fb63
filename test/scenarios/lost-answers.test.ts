import { expect, test } from 'vitest';
import type { FaultRuleInput } from '../../src/sandbox/server/faults.js';
import { oneIn, sweep } from '../depth.js';
import { CRM, person } from './company.js';
import { openStory } from './kit.js';

type Fault = Pick<FaultRuleInput, 'kind' | 'status' | 'retry_after' | 'times'>;

/** Each way in which one answer can be lost, damaged or delayed. */
const FAULTS: readonly (readonly [name: string, fault: Fault])[] = [
  ['reset before the work', { kind: 'reset_before' }],
  ['reset after the work', { kind: 'reset_after' }],
  ['half a body', { kind: 'truncate' }],
  ['an HTML error page', { kind: 'html' }],
  ['429 with Retry-After', { kind: 'status', status: 429, retry_after: 3 }],
  ['429 without Retry-After', { kind: 'status', status: 429 }],
  ['500', { kind: 'status', status: 500 }],
  ['503', { kind: 'status', status: 503 }],
  ['no answer at all', { kind: 'hang' }],
];

const WRITES: readonly Pick<FaultRuleInput, 'method' | 'path'>[] = [
  { method: 'POST', path: '^/api/v1/countries/[^/]+/offices' },
  { method: 'POST', path: '/api/v1/masterdata/custom_tags/custom_tag_category' },
  { method: 'POST', path: '^/api/v1/masterdata/custom_tags/custom_tag(\\?|$)' },
  { method: 'POST', path: '/api/v1/users' },
  { method: 'PUT', path: '/api/v1/users' },
  { method: 'POST', path: '^/api/v2/company/cv/customers(\\?|$)' },
  { method: 'POST', path: '^/api/v2/company/cv/customers/[^/]+/projects(\\?|$)' },
  { method: 'PUT', path: '^/api/v2/company/cv/customers/[^/]+/projects/[^/]+/project_owners' },
];

async function openCompany() {
  const story = await openStory();
  story.configure({
    ...CRM,
    service: { timeout: '250ms' },
    tags: { create_missing: true },
    users: {
      fields: {
        office: { country: 'record.country', name: 'record.office', create_missing: true },
        tags: { grade: 'record.?rank' },
      },
    },
  });
  story.deliver([person('E0')]);
  story.deliverCompanies([]);
  story.deliverDeals([]);
  await story.sync();
  story.deliver([person('E0', { title: 'Lead' }), person('E1', { office: 'Trondheim', rank: 'g1' })]);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([{ id: 'P1', customer: 'C1', name: 'Dam', owners: ['e1@example.com'] }]);
  return story;
}

test.each(oneIn(2, FAULTS, 1))(
  'recovers when the first answer to every kind of write is lost: %s',
  async (_, fault) => {
    const story = await openCompany();
    story.sandbox.faults.add(...WRITES.map((write) => ({ ...fault, ...write })));
    const ran = await story.sync();
    expect(story.sandbox.faults.list()).toEqual([]);
    expect(ran).toMatchObject({ code: 0, json: { done: 7, failed: [], left: 0 } });

    expect(story.users()).toMatchObject([
      { external_unique_id: 'E0', title: { en: 'Lead' } },
      { external_unique_id: 'E1', office: 'no/Trondheim', tags: ['grade/g1'] },
    ]);
    expect(story.offices()).toEqual(['no/Bergen', 'no/Oslo', 'no/Trondheim', 'se/Stockholm']);
    expect(story.sandbox.state().tag_categories).toMatchObject([
      { external_unique_id: 'unit', custom_tags: [{}, {}] },
      { external_unique_id: 'grade', custom_tags: [{ external_unique_id: 'g1' }] },
    ]);
    expect(story.customers()).toMatchObject([
      { external_unique_id: 'C1', projects: [{ external_unique_id: 'P1', owners: ['e1@example.com'] }] },
    ]);
    expect(story.customers()[0]?.projects).toHaveLength(1);

    story.takeWrites();
    expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
    expect(story.takeWrites()).toEqual([]);
    expect((await story.verify()).json.ok).toBe(true);
  },
);

sweep('fails a record whose answers are lost repeatedly, doubles nothing, and finishes it in a later run', async () => {
  const story = await openCompany();
  story.sandbox.faults.add({ kind: 'reset_before', method: 'POST', path: '/api/v1/users', times: 20 });
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(ran.json.failed).toMatchObject([
    { key: 'E1', code: 'SYNC_SERVICE_UNKNOWN_OUTCOME' },
    { key: 'P1', code: 'SYNC_CHANGE_BLOCKED' },
  ]);
  story.sandbox.faults.clear();
  expect((await story.sync()).code).toBe(0);
  expect(story.users()).toHaveLength(2);
  expect(story.customers()[0]?.projects).toMatchObject([{ owners: ['e1@example.com'] }]);
});

sweep('repeats a read whose answer was lost', async () => {
  const story = await openCompany();
  await story.sync();
  story.sandbox.faults.add(
    { kind: 'reset_before', method: 'GET', path: '/api/v1/countries' },
    { kind: 'html', method: 'GET', path: '/api/v1/users/changes' },
    { kind: 'status', status: 503, method: 'GET', path: '/api/v1/masterdata' },
  );
  expect((await story.sync()).code).toBe(0);
  expect(story.sandbox.faults.list()).toEqual([]);
});

sweep.each([
  ['reset_after', 3],
  ['reset_before', 1],
  ['truncate', 9],
] as const)(
  'sends one e-mail to a returning person, however often the answer is lost: %s, %i times',
  async (kind, times) => {
    const story = await openStory();
    story.configure({ notify_people: { reactivate: true } });
    for (const status of ['active', 'left']) {
      story.deliver([person('E1', { status }), person('E2')]);
      await story.sync();
    }
    story.deliver([person('E1', { title: 'Back' }), person('E2')]);
    story.sandbox.faults.add({ kind, method: 'PUT', path: '/api/v1/users', times });
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
    story.sandbox.faults.clear();
    expect(story.user('E1')).toMatchObject({ deactivated: false, title: { en: 'Back' } });
    expect(story.sandbox.state().mails).toHaveLength(1);
  },
);
