import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { person } from './company.js';
import {
  CREATE_ROLE,
  createStream,
  cvPath,
  DELETE_SECTION,
  forgetMirror,
  GET_CV,
  idsOf,
  LINK,
  openCvStory,
  READINGS,
  SEARCH,
  STAFFING,
  STREAMS,
  sectionsOf,
  takeReads,
} from './cvs.js';
import { openGate } from './gate.js';
import { type Story, summarise } from './kit.js';
import { CUSTOMERS, onProject, openStaffing, USERS } from './staffing.js';

function linksOf(story: Story, who: string) {
  return sectionsOf(story, who, 'project_experiences').map(({ project, parts }) => ({
    project: project?.external_unique_id,
    linked: project?.linked,
    roles: (parts.roles ?? []).map(({ texts }) => texts.name.en),
  }));
}

async function mergeProjects({ sandbox }: Story, from: string, into: string): Promise<void> {
  const headers = { 'x-control-key': sandbox.controlKey, 'content-type': 'application/json' };
  const dump = await fetch(`${sandbox.url}/__sandbox/dump`, { headers });
  const { collections } = (await dump.json()) as {
    readonly collections: { readonly projects: readonly { id: string; strings: { external_unique_id?: string } }[] };
  };
  const idOf = (word: string) => collections.projects.find(({ strings }) => strings.external_unique_id === word)?.id;
  const body = JSON.stringify({ from: idOf(from), into: idOf(into) });
  const { status } = await fetch(`${sandbox.url}/__sandbox/merge-projects`, { method: 'POST', headers, body });
  expect(status).toBe(204);
}

const DAM = { project: 'P1', linked: true };

sweep('links a person once who is created in the same run and named in two ways', async () => {
  const { story, staffing } = await openStaffing();
  story.deliver([person('E1'), person('E2'), person('E3'), person('E9')]);
  staffing([onProject('s1', 'E9'), onProject('s2', 'e9@example.com')]);
  const ran = await story.sync();
  expect([ran.json.failed, summarise(ran.json.held)]).toEqual([[], ['p1/e9@example.com SYNC_MATCH_CLAIMED']]);
  expect(linksOf(story, 'E9')).toEqual([{ ...DAM, roles: [] }]);
});

test.each(oneIn(1, READINGS))(
  'links people of equal rows to a project in one call, and adds each role in one (tags on CVs: %s)',
  async (tagsOnCvs) => {
    const { story, staffing } = await openStaffing({ tagsOnCvs, afterId: tagsOnCvs ? 'exclude' : 'keyset' });
    staffing([onProject('s1', 'E1', { role: 'Lead' }), onProject('s2', 'E2'), onProject('s3', 'E3', { copy: true })]);
    const plan = await story.plan();
    expect(plan.json.counts).toEqual({ staffing: { create: 3 } });
    expect(plan.json.cost).toMatchObject({ writes: 3 });
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 3, calls: { writes: 3 } } });
    expect(story.takeWrites().sort()).toEqual([LINK, LINK, CREATE_ROLE].sort());
    expect(linksOf(story, 'E1')).toEqual([{ ...DAM, roles: ['Lead'] }]);
    expect(linksOf(story, 'E2')).toEqual([{ ...DAM, roles: [] }]);
    expect(linksOf(story, 'E3')).toEqual([{ ...DAM, linked: false, roles: [] }]);
    expect(story.sandbox.state().mails).toEqual([]);

    takeReads(story);
    expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
    expect(takeReads(story).filter((call) => call === GET_CV)).toEqual([]);
    expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
  },
);

sweep('sends an e-mail only if configured', async () => {
  const { story, staffing } = await openStaffing();
  story.configure({ notify_people: { staffing: true } });
  staffing([onProject('s1', 'E1')]);
  await story.sync();
  expect(story.sandbox.state().mails).toEqual([{ to: 'e1@example.com', reason: 'linked' }]);
});

sweep(
  'makes one link with several roles from rows of one person on one project, whatever their ids and order',
  async () => {
    const { story, staffing } = await openStaffing();
    staffing([
      onProject('s1', 'E1', { role: 'Lead' }),
      onProject('s2', 'E1', { role: 'Coder' }),
      onProject('s3', 'E1', { role: 'lead' }),
    ]);
    await story.sync();
    expect(story.takeWrites().sort()).toEqual([LINK, CREATE_ROLE, CREATE_ROLE].sort());
    expect(linksOf(story, 'E1')[0]?.roles.toSorted()).toEqual(['Coder', 'Lead']);
    staffing([
      onProject('t9', 'E1', { role: 'Coder' }),
      onProject('t8', 'E1', { role: 'Lead' }),
      onProject('t7', 'E1', { role: 'Tester' }),
    ]);
    await story.sync();
    expect(story.takeWrites()).toEqual([CREATE_ROLE]);
    expect(linksOf(story, 'E1')).toHaveLength(1);
    // The e-mail names them now: the same two, so nothing is new.
    staffing([onProject('t9', 'e1@example.com', { role: 'Coder' })]);
    expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
    expect(linksOf(story, 'E1')).toHaveLength(1);
  },
);

sweep('accepts any column as the key of a feed without ids, and ignores rows out of scope', async () => {
  const { story, staffing } = await openStaffing();
  story.configure({
    sources: { lms: { streams: { staffing: { key: 'project', columns: { project: 'string' } } } } },
    staffing: { scope: 'record.?role.orValue("") != "Planned"' },
  });
  staffing([
    onProject('s', 'E1', { role: 'Planned' }),
    onProject('s', 'E1', { role: 'Lead' }),
    onProject('s', 'E2', { role: 'Coder' }),
    onProject('s', 'E2', { role: 'Planned' }),
    onProject('s', 'E3', { role: 'Planned' }),
    onProject('s', 'E3', { role: 'Planned' }),
  ]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [], calls: { writes: 3 } } });
  expect(linksOf(story, 'E1')).toEqual([{ ...DAM, roles: ['Lead'] }]);
  expect(linksOf(story, 'E2')).toEqual([{ ...DAM, roles: ['Coder'] }]);
  expect(linksOf(story, 'E3')).toEqual([]);
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {}, held: [] } });
});

sweep('makes one link from two records that name it in different ways', async () => {
  const { story, staffing } = await openStaffing();
  staffing([onProject('s1', 'E1'), onProject('s2', 'e1@example.com')]);
  const ran = await story.sync();
  expect(ran.json.held.map(({ code }) => code)).toEqual(['SYNC_MATCH_CLAIMED']);
  expect(linksOf(story, 'E1')).toHaveLength(1);
});

sweep('adopts a link that others made, hard or copied, and only adds its roles', async () => {
  const { story, staffing } = await openStaffing();
  staffing([]);
  await story.sync();
  const [{ id: e1 }, { id: e2 }] = [await idsOf(story, 'E1'), await idsOf(story, 'E2')];
  const project = (await story.others('GET', '/api/v2/company/cv/projects/find?external_unique_id=P1')) as {
    id: string;
    company_customer_id: string;
  };
  const path = `/api/v2/company/cv/customers/${project.company_customer_id}/projects/${project.id}/consultants`;
  await story.others('POST', path, { user_ids: [e1], link_to_project: true });
  await story.others('POST', path, { user_ids: [e2] });
  story.takeWrites();
  staffing([onProject('s1', 'E1', { role: 'Lead' }), onProject('s2', 'E2')]);
  const ran = await story.sync();
  expect(story.takeWrites()).toEqual([CREATE_ROLE]);
  // A copy instead of a hard link: no call converts it, so each run reports it until somebody acknowledges it.
  expect(summarise(ran.json.held)).toEqual(['p1/e2 SYNC_CHANGE_BLOCKED']);
  expect(linksOf(story, 'E2')).toEqual([{ ...DAM, linked: false, roles: [] }]);
  const again = await story.sync({ full: true });
  expect(again).toMatchObject({ code: 4, json: { counts: {}, held: [{ code: 'SYNC_CHANGE_BLOCKED' }] } });
});

sweep('finds links again without state and mirror, instead of making them again', async () => {
  const { story, staffing } = await openStaffing();
  staffing([onProject('s1', 'E1', { role: 'Lead' }), onProject('s2', 'E2')]);
  await story.sync();
  story.takeWrites();
  forgetMirror(story);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
  story.configure({ state: './other' });
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
  expect(story.takeWrites()).toEqual([]);
});

sweep('leaves a project that its feed has dropped in place, even if the mirror has lost it', async () => {
  const { story, staffing } = await openStaffing();
  staffing([onProject('s1', 'E1', { role: 'Lead' })]);
  await story.sync();
  story.takeWrites();
  story.deliverCompanies([
    { id: 'C1', name: 'Fjord Power' },
    { id: 'C2', name: 'Fell Rail' },
  ]);
  // Projects are read per customer, so nothing reads those of the first one any more.
  story.deliverDeals([{ id: 'P2', customer: 'C2', name: 'Tunnel' }]);
  await story.sync();
  forgetMirror(story);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {}, held: [] } });
  staffing([onProject('s1', 'E1', { role: 'Lead' }), onProject('s2', 'E1', { role: 'Coder' })]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [] } });
  expect(linksOf(story, 'E1')).toEqual([{ ...DAM, roles: ['Lead', 'Coder'] }]);
});

sweep(
  'reports a link that went to another project when colleagues merged the two, as long as its row differs',
  async () => {
    const { story, staffing } = await openStaffing();
    story.deliverDeals([
      { id: 'P1', customer: 'C1', name: 'Dam' },
      { id: 'P2', customer: 'C1', name: 'Tunnel' },
    ]);
    staffing([onProject('s1', 'E1', { project: 'P2' })]);
    await story.sync();
    await mergeProjects(story, 'P2', 'P1');
    const held = [{ code: 'SYNC_CHANGE_BLOCKED', key: 'p2/e1', field: 'project' }];
    expect(await story.sync({ full: true })).toMatchObject({
      code: 4,
      json: { counts: { projects: { create: 1 } }, held },
    });
    expect(await story.sync()).toMatchObject({ code: 4, json: { counts: {}, held } });
    expect(linksOf(story, 'E1')).toEqual([{ ...DAM, roles: [] }]);
  },
);

test('unlinks nobody for a feed that shrinks, and does not link a person who left', async () => {
  const { story, staffing } = await openStaffing();
  staffing([onProject('s1', 'E1'), onProject('s2', 'E2')]);
  await story.sync();
  story.takeWrites();
  story.deliver([person('E1'), person('E2'), person('E3', { status: 'left' })]);
  staffing([onProject('s9', 'E3')]);
  const ran = await story.sync({ full: true });
  expect(ran).toMatchObject({ code: 0, json: { counts: { users: { deactivate: 1 } }, held: [] } });
  expect(linksOf(story, 'E1')).toHaveLength(1);
  expect(linksOf(story, 'E3')).toEqual([]);
  takeReads(story);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
  // The feed no longer names these people, so no run looks at them.
  expect(takeReads(story).filter((call) => call === GET_CV || call === SEARCH)).toEqual([]);
  expect((await story.explain('project_link', 'P1/E3')).json.steps.left_alone).toContain('deactivated');
});

sweep('links person and project of the same run, and holds an unknown person until they exist', async () => {
  const { story, staffing } = await openStaffing({ users: [], customers: [] });
  staffing([onProject('s1', 'E1', { role: 'Lead' }), onProject('s2', 'E9')]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['p1/e9 SYNC_REFERENCE_UNKNOWN']);
  expect(linksOf(story, 'E1')).toEqual([{ ...DAM, roles: ['Lead'] }]);
  story.deliver([person('E1'), person('E2'), person('E3'), person('E9')]);
  expect((await story.sync()).code).toBe(0);
  expect(linksOf(story, 'E9')).toEqual([{ ...DAM, roles: [] }]);
});

sweep('finds a project that no feed delivers by the search of a full read', async () => {
  const story = await openCvStory({ users: USERS, customers: CUSTOMERS });
  story.configure({ ...STREAMS, ...STAFFING });
  story.deliver([person('E1'), person('E2'), person('E3')]);
  createStream(story, 'staffing')([onProject('s1', 'E1')]);
  await story.sync();
  expect(linksOf(story, 'E1')).toEqual([{ ...DAM, roles: [] }]);
});

sweep.each(['reset_after', 'reset_before', 'truncate', 'html'] as const)(
  'leaves one experience after a lost answer to a link: %s',
  async (kind) => {
    const { story, staffing } = await openStaffing();
    staffing([onProject('s1', 'E1', { role: 'Lead' }), onProject('s2', 'E2')]);
    story.sandbox.faults.add(
      { kind, method: 'POST', path: '^/api/v2/company/cv/customers/.*/consultants' },
      { kind, method: 'POST', path: '/api/v3/cvs' },
    );
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2, failed: [] } });
    expect(story.sandbox.faults.list()).toEqual([]);
    expect(linksOf(story, 'E1')).toEqual([{ ...DAM, roles: ['Lead'] }]);
    expect(linksOf(story, 'E2')).toEqual([{ ...DAM, roles: [] }]);
    expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
  },
);

sweep('adds the role in the next run after a break between link and role, and links nobody again', async () => {
  const { story, staffing } = await openStaffing();
  staffing([onProject('s1', 'E1', { role: 'Lead' })]);
  const gate = await openGate(story.sandbox.url, 2, async () => false);
  story.configure({ service: { base_url: gate.url, timeout: '250ms' } });
  await story.sync();
  story.configure({ service: { base_url: story.sandbox.url } });
  await story.sync();
  expect(linksOf(story, 'E1')).toEqual([{ ...DAM, roles: ['Lead'] }]);
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
});

sweep('links the others when the service rejects the call because of one person', async () => {
  const { story, staffing } = await openStaffing();
  staffing([]);
  await story.sync();
  staffing([onProject('s1', 'E1'), onProject('s2', 'E2'), onProject('s3', 'E3')]);
  const { id } = await idsOf(story, 'E2');
  // This person disappears between the plan and the call.
  const gate = await openGate(story.sandbox.url, 1, async (forward) => {
    await story.others('DELETE', `/api/v1/users/${id}`);
    await forward();
    return true;
  });
  story.configure({ service: { base_url: gate.url } });
  const ran = await story.sync();
  expect(ran.json.failed).toMatchObject([{ key: 'p1/e2', code: 'SYNC_SERVICE_REFUSED' }]);
  expect(ran.json.done).toBe(2);
  expect([linksOf(story, 'E1').length, linksOf(story, 'E3').length]).toEqual([1, 1]);
});

sweep('reports an account without hard links once for the call, with what to do', async () => {
  const { story, staffing } = await openStaffing({ hardLinking: false });
  staffing([onProject('s1', 'E1'), onProject('s2', 'E2')]);
  const ran = await story.sync();
  expect(ran.json.failed.map(({ code }) => code)).toEqual(['SYNC_SERVICE_NO_LINKING', 'SYNC_SERVICE_NO_LINKING']);
  expect(story.takeWrites()).toEqual([LINK]);
  story.configure({ staffing: { fields: { link: 'false' } } });
  expect((await story.sync()).code).toBe(0);
  expect(linksOf(story, 'E1')).toEqual([{ ...DAM, linked: false, roles: [] }]);
});

sweep('keeps what a hard-linked experience reads from its project, and writes the rest', async () => {
  const { story, staffing } = await openStaffing();
  staffing([onProject('s1', 'E1')]);
  await story.sync();
  const path = await cvPath(story, 'E1');
  const cv = (await story.others('GET', path)) as { project_experiences: { _id: string; version: number }[] };
  const [own] = cv.project_experiences;
  await story.others('PUT', `${path}/project_experiences/${own?._id}`, {
    project_experience: { version: own?.version, external_unique_id: 'X1' },
  });
  story.configure({
    cv_sections: {
      project_experiences: {
        from: ['lms.experiences'],
        fields: {
          user: 'record.person',
          external_unique_id: 'record.id',
          description: { en: 'record.?what' },
          percent_allocated: 'record.?percent',
        },
      },
    },
  });
  createStream(story, 'experiences')([{ id: 'X1', person: 'E1', what: 'Mine', percent: '50' }]);
  const ran = await story.sync();
  expect(ran.json.failed).toEqual([]);
  expect(summarise(ran.json.held)).toEqual(['X1 SYNC_CHANGE_BLOCKED']);
  expect(ran.json.held[0]?.reason).toContain('description');
  expect(sectionsOf(story, 'E1', 'project_experiences')).toMatchObject([{ strings: { percent_allocated: '50' } }]);
});

sweep('removes only the links of an undone run, and keeps earlier ones', async () => {
  const { story, staffing } = await openStaffing();
  staffing([onProject('s1', 'E1')]);
  await story.sync();
  staffing([onProject('s1', 'E1'), onProject('s2', 'E2')]);
  const { run } = (await story.sync()).json;
  story.takeWrites();
  await story.undo(run, { reason: 'ticket 7' });
  expect(story.takeWrites()).toEqual([DELETE_SECTION]);
  expect(linksOf(story, 'E1')).toHaveLength(1);
  expect(linksOf(story, 'E2')).toEqual([]);
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([]);
});
