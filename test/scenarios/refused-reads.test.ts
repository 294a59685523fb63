import { expect, test } from 'vitest';
import type { FaultRule } from '../../src/sandbox/server/faults.js';
import { oneIn, sweep } from '../depth.js';
import { contents } from './bids.js';
import { CRM, person } from './company.js';
import { sectionsOf } from './cvs.js';
import { CREATE_USER, openStory, type Story, UPDATE_USER } from './kit.js';
import { openWhole, type WholeStory } from './whole-company.js';

const [ANNA, BERIT] = [person('E1', { unit: 'north', rank: 'pilot' }), person('E2')];
const FJORD = { id: 'C1', name: 'Fjord Power' };
const DAM = { id: 'P1', customer: 'C1', name: 'Dam', owners: ['e1@example.com'] };
const PILOT = { id: 'K1', person: 'E1', name: 'Pilot' };
const ON_DAM = { id: 'S1', project: 'P1', person: 'E1' };
const BID = { id: 'B1', name: 'Dam bid', owner: 'e1@example.com', people: ['E1'], projects: ['P1'] };

/** A company whose sides are equal. */
async function openEqual(): Promise<WholeStory> {
  const story = await openWhole();
  story.have({ people: [ANNA, BERIT], companies: [FJORD], deals: [DAM], certificates: [PILOT] });
  await story.sync();
  story.have({ staffing: [ON_DAM], bids: [BID] });
  await story.sync();
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
  story.takeWrites();
  return story;
}

/** Everything changes together: a leaver, a new colleague, and one new object of every kind. */
function moveAll(story: WholeStory): void {
  story.have({
    people: [{ ...ANNA, title: 'Lead', unit: 'south', rank: 'diver' }, { ...BERIT, status: 'left' }, person('E3')],
    companies: [{ ...FJORD, url: 'https://fjord.example.com' }],
    deals: [{ ...DAM, name: 'Big dam', owners: ['e1@example.com', 'e3@example.com'] }],
    certificates: [PILOT, { id: 'K2', person: 'E1', name: 'Diver' }],
    bids: [{ ...BID, stage: 'won' }],
  });
}

function refuse(story: Story, status: number, rules: readonly Pick<FaultRule, 'method' | 'path'>[]): void {
  for (const rule of rules) story.sandbox.faults.add({ ...rule, kind: 'status', status, times: 100 });
}

/** The failed checks that do not concern a source. */
function refusedRights({ json }: Awaited<ReturnType<WholeStory['check']>>): readonly string[] {
  return json.checks.flatMap(({ name, ok }) => (ok || name.startsWith('source ') ? [] : [name]));
}

const SEARCH = { method: 'POST', path: '/api/v4/search' };
const CASES = [
  {
    what: 'CVs',
    rules: [SEARCH, { method: 'GET', path: '/api/v3/cvs' }],
    leftAlone: ['users.cv_tags', 'certifications', 'staffing'],
    done: ['users', 'customers', 'projects', 'proposals'],
  },
  {
    what: 'customers',
    rules: [{ method: 'GET', path: '^/api/v2/company/cv/customers\\?' }],
    leftAlone: ['customers', 'projects', 'staffing', 'proposals.references'],
    done: ['users', 'certifications', 'proposals'],
  },
  {
    what: 'projects',
    rules: [{ method: 'GET', path: '/api/v2/company/cv/projects' }],
    leftAlone: ['projects', 'staffing', 'proposals.references'],
    done: ['users', 'certifications', 'customers', 'proposals'],
  },
  {
    what: 'countries and offices',
    rules: [{ method: 'GET', path: '/api/v1/countries' }],
    leftAlone: ['users'],
    done: ['certifications', 'customers', 'projects', 'proposals'],
  },
  {
    what: 'tags',
    rules: [{ method: 'GET', path: '/api/v1/masterdata' }],
    leftAlone: ['users.tags', 'users.cv_tags'],
    done: ['users', 'certifications', 'customers', 'projects', 'proposals'],
  },
  {
    what: 'users',
    rules: [
      { method: 'GET', path: '/api/v2/users/search' },
      { method: 'GET', path: '/api/v1/users/changes' },
    ],
    leftAlone: [
      'users',
      'certifications',
      'projects.owners',
      'staffing',
      'proposals.owner',
      'proposals.collaborators',
      'proposals.cvs',
    ],
    done: ['customers', 'projects', 'proposals'],
  },
  {
    what: 'proposals',
    rules: [{ method: 'GET', path: '/api/v1/all_offers' }],
    leftAlone: ['proposals'],
    done: ['users', 'certifications', 'customers', 'projects'],
  },
];

// "No such record" is a rejection too if another read shows such a record.
const DENIED = CASES.map((one) => ({ ...one, status: 403 }));
const CONTRADICTED = CASES.filter(({ what }) => what === 'projects').map((one) => ({ ...one, status: 404 }));

test.each(oneIn(2, [...DENIED, ...CONTRADICTED]))(
  'holds what rests on $what when reading them answers $status, and does the rest',
  async ({ what, status, rules, leftAlone, done }) => {
    const story = await openEqual();
    moveAll(story);
    refuse(story, status, rules);
    const ran = await story.sync({ full: true });
    expect(ran.code).toBe(1);
    expect(ran.json.errors).toMatchObject([
      {
        source: 'service',
        error: {
          code: status === 403 ? 'SYNC_SERVICE_FORBIDDEN' : 'SYNC_SERVICE_REFUSED',
          message: expect.stringContaining(`Reading ${what} was rejected`),
        },
        left_alone: leftAlone,
      },
    ]);
    expect(ran.error?.code).toBe(ran.json.errors?.[0]?.error.code);
    expect(Object.keys(ran.json.counts)).toEqual(done);
    expect(ran.json.failed).toEqual([]);
    // Nothing exists twice, and only the leaver has left.
    expect(story.users().filter(({ deactivated }) => deactivated)).toHaveLength(done.includes('users') ? 1 : 0);
    for (const undone of leftAlone) expect(done).not.toContain(undone);

    story.sandbox.faults.clear();
    expect((await story.sync({ full: true })).code).toBe(0);
    expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
    expect(story.users().filter(({ deactivated }) => !deactivated)).toMatchObject([
      { external_unique_id: 'E1', title: { en: 'Lead' }, tags: expect.arrayContaining(['unit/south']) },
      { external_unique_id: 'E3' },
    ]);
    expect(story.customers()).toMatchObject([{ projects: [{ project_name: { en: 'Big dam' } }] }]);
    expect(sectionsOf(story, 'E1', 'certifications')).toHaveLength(2);
    expect(sectionsOf(story, 'E1', 'project_experiences')).toHaveLength(1);
    expect(await contents(story, 'Dam bid')).toMatchObject({
      status: 'won',
      cvs: ['e1@example.com'],
      references: ['P1'],
    });
  },
);

sweep('adds nothing a second time when the service reports the CV of an existing person as missing', async () => {
  const story = await openEqual();
  story.have({ certificates: [{ ...PILOT, name: 'Chief pilot' }], staffing: [{ ...ON_DAM, role: 'Lead' }] });
  refuse(story, 404, [{ method: 'GET', path: '/api/v3/cvs' }]);
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 1, json: { counts: {} } });
  expect(ran.json.errors?.map(({ error }) => error.message)).toEqual([
    expect.stringMatching(/Reading CVs was rejected.*certifications.*404/),
  ]);
  expect(story.takeWrites()).toEqual([]);
  story.sandbox.faults.clear();
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { certifications: { update: 1 } } } });
  expect(sectionsOf(story, 'E1', 'certifications')).toHaveLength(1);
  expect(sectionsOf(story, 'E1', 'project_experiences')).toHaveLength(1);
});

sweep(
  'creates and keeps people at first contact with a key that may not read CVs, and check names the permission',
  async () => {
    const story = await openWhole({
      users: [{ country: 'no', office: 'Oslo', email: 'e1@example.com', external_unique_id: 'E1', name: 'Person E1' }],
    });
    story.have({ people: [ANNA, BERIT], certificates: [PILOT] });
    refuse(story, 403, [SEARCH, { method: 'GET', path: '/api/v3/cvs' }]);
    const plan = await story.plan();
    expect(plan).toMatchObject({ code: 1, error: { code: 'SYNC_SERVICE_FORBIDDEN' } });
    expect(plan.error?.remedy).toContain('the permission to read CVs');
    const checked = await story.check();
    expect(checked.code).toBe(1);
    expect(refusedRights(checked)).toEqual(['right to read CVs']);
    expect((await story.sync()).code).toBe(1);
    expect(story.takeWrites()).toEqual([UPDATE_USER, CREATE_USER]);
    story.sandbox.faults.clear();
    expect((await story.sync()).json.held).toEqual([]);
    expect(sectionsOf(story, 'E1', 'certifications')).toHaveLength(1);
    expect((await story.plan()).json.counts).toEqual({});
  },
);

sweep('names the missing permission in check when a key may not read offices, and continues', async () => {
  const story = await openWhole();
  refuse(story, 403, [{ method: 'GET', path: '/api/v1/countries' }, SEARCH]);
  expect(refusedRights(await story.check())).toEqual(['service key', 'right to read CVs']);
});

sweep('reports a permission that cannot be tried yet once, and counts one in the singular', async () => {
  const story = await openStory({ tag_categories: [{ values: { en: 'Unit' }, external_unique_id: 'unit' }] });
  story.configure(CRM);
  story.deliver([person('E1')]);
  story.deliverCompanies([]);
  story.deliverDeals([]);
  const lines = (await story.type('check')).stdout.split('\n');
  expect(lines.filter((line) => line.includes('right to read customers'))).toEqual([
    'note  right to read customers: no customer yet, so reading projects cannot be tested',
  ]);
  expect(lines).toContain('ok    right to read tags: 1 category');
});

sweep('treats an edited source that could not be judged as just edited in the next run', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  story.takeWrites();
  story.configure({ sources: { hr: { pattern: 'employees-0*.csv' } } });
  story.deliver([person('E1')]);
  refuse(story, 403, [{ method: 'GET', path: '/api/v1/countries' }]);
  expect(await story.sync()).toMatchObject({ code: 1, json: { counts: {}, guards: [] } });
  story.sandbox.faults.clear();
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 3, json: { guards: [{ guard: 'users.absent_since_edit', held: 1 }] } });
  expect(story.takeWrites()).toEqual([]);
});

sweep('reports which reads of the mirror were rejected', async () => {
  const story = await openWhole();
  refuse(story, 403, [{ method: 'GET', path: '/api/v1/masterdata' }]);
  expect(await story.refresh()).toMatchObject({ code: 1, error: { code: 'SYNC_SERVICE_FORBIDDEN' } });
});
