import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { CRM, person } from './company.js';
import { CREATE_USER, openStory, type Story, summarise, UPDATE_USER } from './kit.js';

const CUSTOMERS = '/api/v2/company/cv/customers';
const CREATE_CUSTOMER = `POST ${CUSTOMERS}`;
const UPDATE_CUSTOMER = `PUT ${CUSTOMERS}/:customer_id`;
const CREATE_PROJECT = `POST ${CUSTOMERS}/:customer_id/projects`;
const UPDATE_PROJECT = `PUT ${CUSTOMERS}/:customer_id/projects/:project_id`;
const OWNERS = `PUT ${CUSTOMERS}/:customer_id/projects/:project_id/project_owners/sync_by_email`;

const fjord = { id: 'C1', name: 'Fjord Power' };
const dam = { id: 'P1', customer: 'C1', name: 'Dam', owners: ['e1@example.com'] };

async function openConsultancy(): Promise<Story> {
  const story = await openStory();
  story.configure(CRM);
  story.deliver([person('E1'), person('E2')]);
  story.deliverCompanies([fjord]);
  story.deliverDeals([dam, { id: 'P2', customer: 'C1', name: 'Tunnel' }]);
  return story;
}

function projects(story: Story) {
  return story.customers().flatMap((customer) => customer.projects);
}

test('creates a customer, its projects and their owners in one run, in the order they need', async () => {
  const story = await openConsultancy();
  const plan = await story.plan();
  expect(plan.json.counts).toEqual({ users: { create: 2 }, customers: { create: 1 }, projects: { create: 2 } });
  expect(plan.json.cost.writes).toBe(6);

  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 5 } });
  const writes = story.takeWrites();
  expect([...writes].sort()).toEqual(
    [CREATE_USER, CREATE_USER, CREATE_CUSTOMER, CREATE_PROJECT, CREATE_PROJECT, OWNERS].sort(),
  );
  expect(writes.indexOf(CREATE_CUSTOMER)).toBeLessThan(writes.indexOf(CREATE_PROJECT));
  expect(writes.lastIndexOf(CREATE_USER)).toBeLessThan(writes.indexOf(OWNERS));
  expect(projects(story)).toMatchObject([
    { external_unique_id: 'P1', project_name: { en: 'Dam' }, owners: ['e1@example.com'] },
    { external_unique_id: 'P2', project_name: { en: 'Tunnel' }, owners: [] },
  ]);

  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([]);
});

sweep('sends one write for a changed customer, and one each for a changed project and its owners', async () => {
  const story = await openConsultancy();
  await story.sync();
  story.takeWrites();
  story.deliverCompanies([{ ...fjord, name: 'Fjord Energy', url: 'https://fjord.example.com' }]);
  story.deliverDeals([
    { ...dam, name: 'Dam II', stage: 'live', owners: ['e1@example.com', 'e2@example.com'] },
    { id: 'P2', customer: 'C1', name: 'Tunnel', owners: ['e2@example.com'] },
  ]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites().sort()).toEqual([UPDATE_CUSTOMER, UPDATE_PROJECT, OWNERS, OWNERS].sort());
  expect(story.customers()).toMatchObject([
    { customer_name: { en: 'Fjord Energy' }, customer_url: 'https://fjord.example.com' },
  ]);
  expect(projects(story)).toMatchObject([
    { project_name: { en: 'Dam II' }, workflow_stage: 'live', owners: ['e1@example.com', 'e2@example.com'] },
    { project_name: { en: 'Tunnel' }, owners: ['e2@example.com'] },
  ]);
});

sweep('removes an owner that the record drops, in the call that sets the owners', async () => {
  const story = await openConsultancy();
  await story.sync();
  story.takeWrites();
  story.deliverDeals([{ ...dam, owners: ['e2@example.com'] }]);
  await story.sync();
  expect(story.takeWrites()).toEqual([OWNERS]);
  expect(projects(story)[0]?.owners).toEqual(['e2@example.com']);
});

sweep('holds an unknown owner, sets the known ones, and adds the missing one once that person exists', async () => {
  const story = await openConsultancy();
  const file = story.deliverDeals([{ ...dam, owners: ['e1@example.com', 'late@example.com'] }]);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(ran.json.held).toMatchObject([
    { entity: 'projects', key: 'P1', place: `crm.deals ${file}:1`, code: 'SYNC_REFERENCE_UNKNOWN' },
  ]);
  expect(ran.json.held[0]?.reason).toContain('late@example.com');
  expect(projects(story)[0]?.owners).toEqual(['e1@example.com']);
  // The next run does not write a held record again.
  story.takeWrites();
  expect((await story.sync()).code).toBe(4);
  expect(story.takeWrites()).toEqual([]);

  story.deliver([person('E1'), person('E2'), person('E3', { email: 'late@example.com' })]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([CREATE_USER, OWNERS]);
  expect(projects(story)[0]?.owners).toEqual(['e1@example.com', 'late@example.com']);
});

sweep('holds a project of an unknown customer, and creates it with the customer', async () => {
  const story = await openConsultancy();
  story.deliverDeals([dam, { id: 'P9', customer: 'C9', name: 'Bridge' }]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['P9 SYNC_REFERENCE_UNKNOWN']);
  expect(projects(story)).toHaveLength(1);
  story.takeWrites();
  story.deliverCompanies([fjord, { id: 'C9', name: 'Nine' }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([CREATE_CUSTOMER, CREATE_PROJECT]);
});

sweep('keeps customers and projects that vanish from the feed', async () => {
  const story = await openConsultancy();
  await story.sync();
  story.takeWrites();
  story.deliverCompanies([{ id: 'C2', name: 'Other' }]);
  story.deliverDeals([{ id: 'P3', customer: 'C2', name: 'Other work' }]);
  expect((await story.sync({ full: true })).code).toBe(0);
  expect(story.takeWrites()).toEqual([CREATE_CUSTOMER, CREATE_PROJECT]);
  expect(story.customers()).toHaveLength(2);
  expect(projects(story)).toHaveLength(3);
});

sweep('adopts an existing customer and project, and keeps the fields of others', async () => {
  const story = await openStory({
    customers: [
      {
        customer_name: { en: 'Fjord Power', no: 'Fjordkraft' },
        projects: [{ external_unique_id: 'P1', project_name: { en: 'Dam', no: 'Demning' }, workflow_stage: 'live' }],
      },
    ],
  });
  story.configure(CRM);
  story.deliver([person('E1')]);
  story.deliverCompanies([fjord]);
  story.deliverDeals([{ ...dam, name: 'Dam II' }]);
  await story.sync();
  expect(story.takeWrites().sort()).toEqual([CREATE_USER, UPDATE_CUSTOMER, UPDATE_PROJECT, OWNERS].sort());
  expect(story.customers()).toMatchObject([
    { external_unique_id: 'C1', customer_name: { en: 'Fjord Power', no: 'Fjordkraft' } },
  ]);
  expect(projects(story)).toMatchObject([{ project_name: { en: 'Dam II', no: 'Demning' }, workflow_stage: 'live' }]);
});

sweep('holds a customer that matches two of the same name, and creates no third one', async () => {
  const story = await openStory({
    customers: [
      { external_unique_id: 'X1', customer_name: { en: 'Fjord Power' } },
      { external_unique_id: 'X2', customer_name: { en: 'Fjord Power' } },
    ],
  });
  story.configure(CRM);
  story.deliver([person('E1')]);
  story.deliverCompanies([fjord]);
  story.deliverDeals([]);
  expect(summarise((await story.sync()).json.held)).toContain('C1 SYNC_MATCH_AMBIGUOUS');
  expect(story.customers()).toHaveLength(2);
});

sweep('leaves only projects alone when the feed of deals is broken', async () => {
  const story = await openConsultancy();
  await story.sync();
  story.takeWrites();
  story.deliver([person('E1', { title: 'Lead' }), person('E2')]);
  story.deliverCompanies([{ ...fjord, name: 'Fjord Energy' }]);
  writeFileSync(join(story.folder, 'drop', 'crm', 'deals-99.json'), '[{"id": "P1", "cust');
  const ran = await story.sync();
  expect(ran.code).not.toBe(0);
  expect(story.takeWrites().sort()).toEqual([UPDATE_USER, UPDATE_CUSTOMER].sort());
  expect(projects(story)).toHaveLength(2);
});

sweep('creates a customer deleted by hand again in one run, with its projects', async () => {
  const story = await openConsultancy();
  for (let run = 0; run < 2; run++) await story.sync();
  await deleteByHand(story, 'C1', ['P1', 'P2']);
  story.takeWrites();
  expect(await story.sync()).toMatchObject({
    code: 0,
    json: { counts: { customers: { create: 1 }, projects: { create: 2 } } },
  });
  expect(story.takeWrites()).toEqual([CREATE_CUSTOMER, CREATE_PROJECT, CREATE_PROJECT, OWNERS]);
  expect(projects(story)).toMatchObject([
    { external_unique_id: 'P1', owners: ['e1@example.com'] },
    { external_unique_id: 'P2' },
  ]);
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([]);
});

sweep.each([
  ['of the same customer', 'C1'],
  ['of a customer that no record names', 'C9'],
])('replaces a project deleted by hand with another one %s that has its external id', async (_, customer) => {
  const story = await openConsultancy();
  const other = { company_customer: { external_unique_id: 'C9', customer_name: { en: 'Other' } } };
  await story.others('POST', CUSTOMERS, other);
  for (let run = 0; run < 2; run++) await story.sync();
  await deleteProjects(story, 'C1', ['P1']);
  const { id } = (await story.others('GET', `${CUSTOMERS}/find?external_unique_id=${customer}`)) as { id: string };
  const again = { external_unique_id: 'P1', project_name: { en: 'Dam again' } };
  await story.others('POST', `${CUSTOMERS}/${id}/projects`, { company_project: again });
  story.takeWrites();
  for (let run = 0; run < 3; run++) await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([UPDATE_PROJECT, OWNERS]);
  expect(projects(story).filter((one) => one.external_unique_id === 'P1')).toMatchObject([
    { project_name: { en: 'Dam' }, owners: ['e1@example.com'] },
  ]);
});

/** Deletes the projects first, as the service requires (spec, Customers and reference projects). */
async function deleteByHand(story: Story, customer: string, projectsOfIt: readonly string[]): Promise<void> {
  await story.others('DELETE', `${CUSTOMERS}/${await deleteProjects(story, customer, projectsOfIt)}`);
}

/** @returns the id of their customer */
async function deleteProjects(story: Story, customer: string, projectsOfIt: readonly string[]): Promise<string> {
  const idOf = async (path: string) => ((await story.others('GET', path)) as { readonly id: string }).id;
  const id = await idOf(`${CUSTOMERS}/find?external_unique_id=${customer}`);
  for (const project of projectsOfIt) {
    const projectId = await idOf(`/api/v2/company/cv/projects/find?external_unique_id=${project}`);
    await story.others('DELETE', `${CUSTOMERS}/${id}/projects/${projectId}`);
  }
  return id;
}

sweep(
  'finds a project under a customer that no record names by its external id, and does not create it twice',
  async () => {
    const story = await openConsultancy();
    story.deliverDeals([]);
    await story.sync();
    const wrapper = { company_customer: { customer_name: { en: 'Elsewhere' } } };
    const other = (await story.others('POST', CUSTOMERS, wrapper)) as { readonly id: string };
    await story.others('POST', `${CUSTOMERS}/${other.id}/projects`, {
      company_project: { external_unique_id: 'P1', project_name: { en: 'Dam' } },
    });
    story.takeWrites();
    story.deliverDeals([dam]);
    const held = [{ entity: 'projects', key: 'P1', code: 'SYNC_CHANGE_BLOCKED' }];
    for (const full of [false, true, false]) expect((await story.sync({ full })).json.held).toMatchObject(held);
    expect(projects(story)).toHaveLength(1);
    // Two projects share one external id: a person has to choose. Once they delete one, the run takes the other.
    const twin = (await story.others('POST', `${CUSTOMERS}/${other.id}/projects`, {
      company_project: { external_unique_id: 'P2', project_name: { en: 'Tunnel' } },
    })) as { readonly id: string };
    await story.others('POST', `${CUSTOMERS}/${other.id}/projects`, {
      company_project: { external_unique_id: 'P2', project_name: { en: 'Tunnel' } },
    });
    story.takeWrites();
    story.deliverDeals([{ id: 'P2', customer: 'C1', name: 'Tunnel' }]);
    const ambiguous = await story.sync();
    expect(ambiguous.json.held).toMatchObject([{ key: 'P2', code: 'SYNC_MATCH_AMBIGUOUS' }]);
    await story.others('DELETE', `${CUSTOMERS}/${other.id}/projects/${twin.id}`);
    story.takeWrites();
    expect((await story.sync()).json.held).toMatchObject([{ key: 'P2', code: 'SYNC_CHANGE_BLOCKED' }]);
    // As with any project under another customer, the rest of its record is still sent.
    expect(story.takeWrites()).toEqual([UPDATE_PROJECT]);
    expect(projects(story)).toHaveLength(2);
  },
);

/**
 * A call that left before its daemon was stopped.
 * @returns addresses of the project that is linked to P1, and of the late one
 */
async function postLate(story: Story) {
  const find = (what: string) => story.others('GET', `/api/v2/company/cv/${what}`) as Promise<{ readonly id: string }>;
  const linked = await find('projects/find?external_unique_id=P1');
  const customer = await find('customers/find?external_unique_id=C1');
  const path = `${CUSTOMERS}/${customer.id}/projects`;
  const late = { company_project: { external_unique_id: 'P1', project_name: { int: 'Dam' } } };
  const twin = (await story.others('POST', path, late)) as { readonly id: string };
  story.takeWrites();
  return { linked: `${path}/${linked.id}`, late: `${path}/${twin.id}` };
}

const TWINS = { entity: 'projects', key: 'P1', code: 'SYNC_OBJECT_TWINS' };

sweep('reports a late project with the external id of a linked one in the next run, and writes nothing', async () => {
  const story = await openConsultancy();
  await story.sync();
  const { late } = await postLate(story);
  const ran = await story.sync();
  expect([ran.code, ran.json.held]).toMatchObject([4, [TWINS]]);
  const [held] = ran.json.held;
  expect(held?.reason).toMatch(/^2 projects of the service have the external id "P1": Dam \(/);
  expect(held?.reason).toContain(`Dam (${late.split('/').at(-1)}), which talent-sync leaves alone.`);
  expect(held?.remedy).toContain('delete the others');
  expect((await story.plan()).json.held).toMatchObject([TWINS]);
  // The run keeps its record up to date meanwhile.
  story.deliverDeals([
    { ...dam, name: 'Dam II' },
    { id: 'P2', customer: 'C1', name: 'Tunnel' },
  ]);
  expect((await story.sync()).json.held).toMatchObject([TWINS]);
  expect(story.takeWrites()).toEqual([UPDATE_PROJECT]);
  await story.others('DELETE', late);
  story.takeWrites();
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [] } });
  expect(story.takeWrites()).toEqual([]);
});

sweep('finds the remaining one of two projects with one external id, even if the linked one is deleted', async () => {
  const story = await openConsultancy();
  await story.sync();
  const { linked } = await postLate(story);
  expect((await story.sync()).json.held).toMatchObject([TWINS]);
  await story.others('DELETE', linked);
  story.takeWrites();
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [] } });
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [] } });
  expect(story.takeWrites()).not.toContain(CREATE_PROJECT);
  expect(projects(story)).toHaveLength(2);
});
