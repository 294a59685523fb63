import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { CRM, person } from './company.js';
import { openStory, type Story, summarise } from './kit.js';
import { expectQuiet } from './quiet.js';

const NAMES = {
  ...CRM,
  tags: { create_missing: true },
  users: {
    fields: {
      office: { country: 'record.country', name: 'record.office', create_missing: true },
      tags: { grade: 'record.?rank' },
    },
  },
};

interface Deliveries {
  readonly people?: Parameters<Story['deliver']>[0];
  readonly companies?: Parameters<Story['deliverCompanies']>[0];
  readonly deals?: Parameters<Story['deliverDeals']>[0];
}

function deliver(story: Story, { people = [person('E0')], companies = [], deals = [] }: Deliveries): void {
  story.deliver(people);
  story.deliverCompanies(companies);
  story.deliverDeals(deals);
}

async function openAccount(first: Deliveries = {}): Promise<Story> {
  const story = await openStory();
  story.configure(NAMES);
  deliver(story, first);
  await story.sync();
  story.takeWrites();
  return story;
}

const CUSTOMER = { id: 'C1', name: 'Fjord Power' };
const DEAL = { id: 'P1', customer: 'C1', name: 'Dam', owners: ['e0@example.com'] };

/** A drop without a row says nothing about anybody, and a run ends with 4. */
const CRM_FULL = { companies: [CUSTOMER], deals: [DEAL] };

sweep('restores the offices of a project that an undo of the undo creates again', async () => {
  const story = await openAccount();
  const place = { type: 'string', optional: true };
  story.configure({
    sources: { crm: { streams: { deals: { columns: { place } } } } },
    projects: { fields: { offices: [{ country: '"no"', name: 'record.?place' }] } },
  });
  deliver(story, { companies: [CUSTOMER], deals: [{ ...DEAL, place: 'Oslo' }] });
  const { run } = (await story.sync()).json;
  const undone = await story.undo(run);
  expect(story.customers()).toEqual([]);
  expect((await story.undo(undone.json.run)).code).toBe(0);
  expect(story.customers()[0]?.projects).toMatchObject([{ offices: ['no/Oslo'] }]);
});

sweep('deletes customer and project of a run, the project first, and does not create them again', async () => {
  const story = await openAccount();
  deliver(story, { companies: [CUSTOMER], deals: [DEAL] });
  const { run } = (await story.sync()).json;
  expect(story.customers()).toHaveLength(1);
  story.takeWrites();
  const undone = await story.undo(run);
  expect(undone).toMatchObject({
    code: 0,
    json: { done: 2, held: [], counts: { customers: { delete: 1 }, projects: { delete: 1 } } },
  });
  expect(story.takeWrites()).toEqual([
    'DELETE /api/v2/company/cv/customers/:customer_id/projects/:project_id',
    'DELETE /api/v2/company/cv/customers/:customer_id',
  ]);
  expect(story.customers()).toEqual([]);
  // A new name does not create it again: the message must not point people to the source.
  deliver(story, { companies: [{ ...CUSTOMER, name: 'Renamed' }], deals: [DEAL] });
  expect(await expectQuiet(story)).toEqual(['C1 SYNC_UNDONE_PINNED', 'P1 SYNC_UNDONE_PINNED']);
  const [pinned] = (await story.plan()).json.held;
  expect(pinned?.reason).toContain('not repeated until the source says the opposite');
  expect(pinned?.remedy).toBe('Allow it again: `talent-sync undo --unpin customer:C1`');
  await story.undo(undefined, { unpin: 'customer:C1' });
  await story.undo(undefined, { unpin: 'project:P1' });
  expect((await story.sync()).json).toMatchObject({ done: 2 });
  expect(story.customers()[0]?.projects).toHaveLength(1);
});

sweep('creates the objects again when their deletion is undone', async () => {
  const story = await openAccount();
  deliver(story, { companies: [CUSTOMER], deals: [DEAL] });
  const { run } = (await story.sync()).json;
  const first = await story.undo(run);
  const second = await story.undo(first.json.run);
  expect(second.json).toMatchObject({
    done: 2,
    failed: [],
    counts: { customers: { create: 1 }, projects: { create: 1 } },
  });
  expect(story.customers()).toMatchObject([
    { external_unique_id: 'C1', projects: [{ external_unique_id: 'P1', owners: ['e0@example.com'] }] },
  ]);
  expect(await expectQuiet(story)).toEqual([]);
});

test('keeps a customer that has another project by now, and a project that others have edited', async () => {
  const story = await openAccount();
  deliver(story, { companies: [CUSTOMER] });
  const { run } = (await story.sync()).json;
  deliver(story, { companies: [CUSTOMER], deals: [DEAL] });
  const second = (await story.sync()).json.run;
  expect(await story.undo(run)).toMatchObject({
    code: 4,
    json: { done: 0, held: [{ key: 'C1', code: 'SYNC_UNDO_IMPOSSIBLE' }] },
  });
  const { customer, project } = await findProject(story);
  await story.others('PUT', `/api/v2/company/cv/customers/${customer}/projects/${project}?use_legacy_codes=false`, {
    company_project: { project_description: { en: 'Two years of work' } },
  });
  const refused = await story.undo(second);
  expect(refused).toMatchObject({ code: 4, json: { done: 0, held: [{ key: 'P1', code: 'SYNC_UNDO_MOVED' }] } });
  expect(refused.json.held[0]?.reason).toContain('project_description');
  expect(story.customers()[0]?.projects).toHaveLength(1);
});

async function findProject(story: Story): Promise<{ readonly customer: string; readonly project: string }> {
  const found = (await story.others('GET', '/api/v2/company/cv/projects/find?external_unique_id=P1')) as {
    readonly id: string;
    readonly company_customer_id: string;
  };
  return { customer: found.company_customer_id, project: found.id };
}

sweep('keeps a project that a CV is linked to', async () => {
  const story = await openAccount({ companies: [CUSTOMER] });
  deliver(story, { companies: [CUSTOMER], deals: [DEAL] });
  const { run } = (await story.sync()).json;
  const { customer, project } = await findProject(story);
  const { id } = (await story.others('GET', '/api/v1/users/find?external_unique_id=E0')) as { readonly id: string };
  await story.others('POST', `/api/v2/company/cv/customers/${customer}/projects/${project}/consultants`, {
    user_ids: [id],
    link_to_project: true,
  });
  const undone = await story.undo(run);
  expect(undone).toMatchObject({ code: 4, json: { done: 0, held: [{ key: 'P1', code: 'SYNC_UNDO_IMPOSSIBLE' }] } });
  expect(undone.json.held[0]?.reason).toContain('CVs are linked to it');
});

sweep('restores owners one by one, and keeps those whom others added', async () => {
  const people = [person('E0'), person('E1'), person('E2')];
  const story = await openAccount({ people, companies: [CUSTOMER], deals: [DEAL] });
  deliver(story, { people, companies: [CUSTOMER], deals: [{ ...DEAL, owners: ['e1@example.com'] }] });
  const { run } = (await story.sync()).json;
  const { customer, project } = await findProject(story);
  await story.others(
    'PUT',
    `/api/v2/company/cv/customers/${customer}/projects/${project}/project_owners/sync_by_email`,
    {
      emails: ['e2@example.com'],
    },
  );
  expect(await story.undo(run)).toMatchObject({ code: 0, json: { done: 1 } });
  expect(story.customers()[0]?.projects[0]?.owners).toEqual(['e0@example.com', 'e2@example.com']);
  expect(await expectQuiet(story)).toEqual(['P1 SYNC_UNDONE_PINNED']);
});

sweep('deletes an office once the people of the run have left it', async () => {
  const story = await openAccount(CRM_FULL);
  deliver(story, { ...CRM_FULL, people: [person('E0', { office: 'Trondheim' })] });
  const { run } = (await story.sync()).json;
  expect(story.offices()).toContain('no/Trondheim');
  story.takeWrites();
  expect(await story.undo(run)).toMatchObject({ code: 0, json: { done: 2, held: [] } });
  expect(story.takeWrites()).toEqual([
    'PUT /api/v1/users/:user_id',
    'DELETE /api/v1/countries/:country_id/offices/:office_id',
  ]);
  expect(story.offices()).not.toContain('no/Trondheim');
  expect(story.user('E0').office).toBe('no/Oslo');
  expect(await expectQuiet(story)).toEqual(['E0 SYNC_UNDONE_PINNED']);
});

sweep('does not delete an office in which a person stays', async () => {
  const story = await openAccount();
  deliver(story, { people: [person('E0'), person('E1', { office: 'Trondheim' })] });
  const { run } = (await story.sync()).json;
  const undone = await story.undo(run);
  // The created person is deactivated, and a deactivated person still has an office.
  expect(undone).toMatchObject({
    code: 4,
    json: { done: 1, held: [{ key: 'no/trondheim', code: 'SYNC_UNDO_IMPOSSIBLE' }] },
  });
  expect(undone.json.held[0]?.reason).toContain('it has 1 user (Person E1');
  expect(story.offices()).toContain('no/Trondheim');
});

sweep('removes category and tag of a run, together with the tag of its people', async () => {
  const story = await openAccount(CRM_FULL);
  deliver(story, { ...CRM_FULL, people: [person('E0', { rank: 'g1' })] });
  const { run } = (await story.sync()).json;
  expect(story.user('E0').tags).toEqual(['grade/g1']);
  story.takeWrites();
  expect(await story.undo(run)).toMatchObject({ code: 0, json: { done: 2, held: [] } });
  expect(story.takeWrites()).toEqual([
    'DELETE /api/v1/masterdata/custom_tags/custom_tag_category/:category_id/bulk_delete',
    'DELETE /api/v1/masterdata/custom_tags/custom_tag_category/:category_id',
  ]);
  expect(story.user('E0').tags).toEqual([]);
  expect(await expectQuiet(story)).toEqual(['E0 SYNC_UNDONE_PINNED']);
});

sweep('keeps a tag that a later run gave to another person, and its category', async () => {
  const story = await openAccount();
  deliver(story, { people: [person('E0', { rank: 'g1' })] });
  const { run } = (await story.sync()).json;
  deliver(story, { people: [person('E0', { rank: 'g1' }), person('E1', { rank: 'g1' })] });
  await story.sync();
  const undone = await story.undo(run);
  expect(undone.code).toBe(4);
  expect(summarise(undone.json.held)).toEqual([
    'E0 SYNC_UNDO_IMPOSSIBLE',
    'grade SYNC_UNDO_IMPOSSIBLE',
    'grade/g1 SYNC_UNDO_IMPOSSIBLE',
  ]);
  expect(story.user('E1').tags).toEqual(['grade/g1']);
});
