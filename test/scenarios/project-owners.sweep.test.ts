import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { CRM, person } from './company.js';
import type { ProjectState } from './documents.js';
import { openStory, type Story, summarise, UPDATE_USER } from './kit.js';

const PROJECTS = '/api/v2/company/cv/customers/:customer_id/projects';
const CREATE_PROJECT = `POST ${PROJECTS}`;
const UPDATE_PROJECT = `PUT ${PROJECTS}/:project_id`;
const OWNERS = `PUT ${PROJECTS}/:project_id/project_owners/sync_by_email`;
const REMOVE_OWNER = `DELETE ${PROJECTS}/:project_id/project_owners/:user_id`;

const [e1, e2, e3] = ['e1@example.com', 'e2@example.com', 'e3@example.com'];
const dam = { id: 'P1', customer: 'C1', name: 'Dam' };

/** Three people and a customer. The project `dam`, once it exists, is owned by e1 and e2. */
async function openConsultancy(): Promise<Story> {
  const story = await openStory();
  story.configure(CRM);
  story.configure({ projects: { fields: { owners: { value: 'record.?owners', when_empty: 'clear' } } } });
  story.deliver([person('E1'), person('E2'), person('E3')]);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([]);
  await story.sync();
  story.deliverDeals([{ ...dam, owners: [e1, e2] }]);
  story.takeWrites();
  return story;
}

async function openOwned(): Promise<Story> {
  const story = await openConsultancy();
  expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  return story;
}

function projectOf(story: Story): ProjectState | undefined {
  return story.customers()[0]?.projects[0];
}

sweep.each([
  [403, 'SYNC_SERVICE_FORBIDDEN'],
  [422, 'SYNC_SERVICE_REFUSED'],
] as const)(
  'owns a project whose owners are rejected with %i, and sends the owners in the next run',
  async (status, code) => {
    const story = await openConsultancy();
    const path = '^/api/v2/company/cv/customers/[^/]+/projects/[^/]+/project_owners';
    story.sandbox.faults.add({ kind: 'status', status, method: 'PUT', path });
    const ran = await story.sync();
    expect(ran).toMatchObject({ code: 4, json: { done: 0, failed: [{ entity: 'projects', key: 'P1', code }] } });
    expect(story.takeWrites()).toEqual([CREATE_PROJECT, OWNERS]);
    expect(projectOf(story)).toMatchObject({ external_unique_id: 'P1', owners: [] });
    expect((await story.status()).json).toMatchObject({ links: { projects: 1 }, open_intents: 0 });

    const entry = (await story.audit()).at(-1);
    expect(entry).toMatchObject({ action: 'create', key: 'P1', result: 'in part', error: expect.any(String) });
    expect(entry?.calls.map((call) => call.call.split(' ')[0])).toEqual(['POST', 'PUT']);
    expect(entry?.calls[1]?.status).toBe(status);
    const sent = story.sandbox
      .calls()
      .filter(({ method }) => method !== 'GET')
      .slice(-2);
    expect(entry?.calls.map(({ request_id }) => request_id)).toEqual(sent.map(({ requestId }) => requestId));

    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
    expect(story.takeWrites()).toEqual([OWNERS]);
    expect(story.customers()[0]?.projects).toMatchObject([{ owners: [e1, e2] }]);
    expect((await story.plan()).json.counts).toEqual({});
    expect((await story.verify()).json.ok).toBe(true);
  },
);

sweep.each([
  ['none', {}],
  ['an empty list', { owners: [] }],
] as const)('removes cleared owners (%s) one by one, and then has nothing left to do', async (_, none) => {
  const story = await openOwned();
  story.deliverDeals([{ ...dam, ...none }]);
  const plan = await story.plan();
  expect(plan.json).toMatchObject({ counts: { projects: { update: 1 } }, cost: { writes: 2 } });
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([REMOVE_OWNER, REMOVE_OWNER]);
  expect(projectOf(story)?.owners).toEqual([]);
  for (const full of [false, true]) expect((await story.plan({ full })).json.counts).toEqual({});
});

test('removes nobody while one owner is unknown, but adds the known ones', async () => {
  const story = await openOwned();
  story.deliverDeals([{ ...dam, owners: [e2, e3, 'late@example.com'] }]);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(summarise(ran.json.held)).toEqual(['P1 SYNC_REFERENCE_UNKNOWN']);
  expect(story.takeWrites()).toEqual([OWNERS]);
  expect(projectOf(story)?.owners).toEqual([e1, e2, e3]);
  await story.sync();
  expect(story.takeWrites()).toEqual([]);
  // Once everyone is known, the list equals that of the source.
  story.deliverDeals([{ ...dam, owners: [e2, e3] }]);
  expect((await story.sync()).code).toBe(0);
  expect(projectOf(story)?.owners).toEqual([e2, e3]);
});

sweep('keeps an owner whose address HR changes, whichever address the CRM has', async () => {
  const story = await openOwned();
  story.deliver([person('E1', { email: 'married@example.com' }), person('E2'), person('E3')]);
  for (const full of [false, true]) await story.sync({ full });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(projectOf(story)?.owners).toEqual([e2, 'married@example.com']);
  // Nobody has the old address any more. It means the same person as long as the row has it.
  story.deliverDeals([{ ...dam, owners: [e1, e3] }]);
  expect((await story.sync()).code).toBe(0);
  expect(projectOf(story)?.owners).toEqual([e3, 'married@example.com']);
  story.takeWrites();
  story.deliverDeals([{ ...dam, owners: ['married@example.com', e3] }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([]);
  // Once the row has named her differently, the old address is like any other: it is held, and nobody is removed.
  story.deliverDeals([{ ...dam, owners: [e1, e2] }]);
  expect(summarise((await story.sync()).json.held)).toEqual(['P1 SYNC_REFERENCE_UNKNOWN']);
  expect(projectOf(story)?.owners).toEqual([e2, e3, 'married@example.com']);
});

sweep('loses nobody when an address changes in both sources in one run', async () => {
  const story = await openOwned();
  story.deliver([person('E1', { email: 'married@example.com' }), person('E2'), person('E3')]);
  story.deliverDeals([{ ...dam, owners: ['married@example.com', e2] }]);
  expect((await story.sync()).code).toBe(0);
  // The people are the same: the run writes only the new address of the person.
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(projectOf(story)?.owners).toEqual([e2, 'married@example.com']);
  expect((await story.plan({ full: true })).json.counts).toEqual({});
});

sweep('treats owners by external id as the same people, and sends their addresses', async () => {
  const story = await openOwned();
  story.deliverDeals([{ ...dam, owners: ['E1', 'E2'] }]);
  expect((await story.sync()).json.counts).toEqual({});
  expect(story.takeWrites()).toEqual([]);
  story.deliverDeals([{ ...dam, owners: ['E3', 'e1@example.com'] }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([OWNERS]);
  expect(projectOf(story)?.owners).toEqual([e1, e3]);
});

sweep('makes the new holder of an address the owner in one run if the address is new in the row', async () => {
  const story = await openConsultancy();
  story.deliverDeals([{ ...dam, owners: [e2] }]);
  await story.sync();
  story.takeWrites();
  story.deliver([person('E1', { email: 'old@example.com' }), person('E2'), person('E3', { email: e1 })]);
  story.deliverDeals([{ ...dam, name: 'Dam II', owners: [e1, e2] }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER, UPDATE_PROJECT, OWNERS]);
  expect(projectOf(story)?.owners).toEqual([e1, e2]);
  expect((await story.plan({ full: true })).json.counts).toEqual({});
});

sweep('loses nobody when HR changes an address while the CRM adds an owner to the old one', async () => {
  const story = await openOwned();
  story.deliver([person('E1', { email: 'married@example.com' }), person('E2'), person('E3')]);
  story.deliverDeals([{ ...dam, owners: [e1, e2, e3] }]);
  expect((await story.sync()).code).toBe(0);
  expect(projectOf(story)?.owners).toEqual([e2, e3, 'married@example.com']);
});
