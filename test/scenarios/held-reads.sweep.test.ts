import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person, type Yaml } from './company.js';
import { takeReads } from './cvs.js';
import { type Company, openWhole, type WholeStory } from './whole-company.js';

/** Ten people with records of every kind, none of them held. */
const IDS = Array.from({ length: 10 }, (_, at) => `E${at}`);
const SETTLED = {
  people: IDS.map((id) => person(id, { unit: 'north', rank: 'pilot' })),
  companies: ['C1', 'C2'].map((id) => ({ id, name: `Company ${id}` })),
  deals: ['P1', 'P2'].map((id, at) => ({ id, customer: `C${at + 1}`, name: `Deal ${id}`, owners: ['e1@example.com'] })),
  certificates: IDS.map((id) => ({ id: `K${id}`, person: id, name: 'Cloud' })),
  staffing: IDS.map((id) => ({ id: `S${id}`, project: 'P1', person: id })),
  bids: [{ id: 'B1', name: 'Bid B1', owner: 'E0', people: ['E1'], projects: ['P1'] }],
} satisfies Company;

/** Everything that an unknown name or an unreadable cell can hold. */
const HELD: Partial<Company> = {
  people: [
    ...SETTLED.people.map((row) => ({ ...row, rank: 'soon' })),
    person('E95', { unit: 'nowhere' }),
    person('E96', { country: 'xx' }),
    person('E97', { email: 'e1@example.com' }),
  ],
  deals: [
    ...SETTLED.deals.map((deal) => ({ ...deal, owners: ['e1@example.com', 'nobody@example.com'] })),
    { id: 'P8', customer: 'C9', name: 'Eight' },
    { id: 'P9', customer: 'C1', name: 'Nine', owners: ['nobody@example.com'] },
  ],
  certificates: [
    ...SETTLED.certificates,
    { id: 'X1', person: 'E99', name: 'Cloud' },
    ...IDS.map((id) => ({ id: `X${id}`, person: id })),
  ],
  staffing: [
    ...SETTLED.staffing,
    { id: 'X1', project: 'P1', person: 'E99' },
    ...IDS.map((id) => ({ id: `X${id}`, project: 'P7', person: id })),
  ],
  bids: [
    ...SETTLED.bids.map((bid) => ({ ...bid, people: ['E1', 'E99'], projects: ['P1', 'P7'] })),
    { id: 'B9', name: 'Bid B9', owner: 'E99', people: [], projects: [] },
  ],
};
const RECORDS = { users: 13, projects: 4, certifications: 11, staffing: 11, proposals: 3 };

async function openSettled(): Promise<WholeStory> {
  const story = await openWhole({ tagsOnCvs: true });
  story.have(SETTLED);
  for (const full of [false, true, false]) await story.sync({ full });
  return story;
}

/** Lists the reads of a run without a full read. */
async function listReads(story: WholeStory): Promise<readonly string[]> {
  takeReads(story);
  await story.sync();
  return takeReads(story);
}

test('reads nothing for records that are held or were unlinked by hand', async () => {
  const story = await openSettled();
  const quiet = await listReads(story);
  story.have(HELD);
  for (let run = 0; run < 2; run++) await story.sync();
  story.takeWrites();
  expect(await listReads(story)).toEqual(quiet);
  const { json } = await story.sync();
  const counts = Object.entries(RECORDS).map(([name]) => [
    name,
    json.held.filter(({ entity }) => entity === name).length,
  ]);
  expect(Object.fromEntries(counts)).toEqual(RECORDS);
  expect(story.takeWrites()).toEqual([]);

  // Records unlinked by hand cost no read either.
  for (const [entity, key] of [
    ['projects', 'P1'],
    ['certifications', 'KE1'],
    ['proposals', 'B1'],
  ] as const)
    expect((await story.type('unlink', entity, key, '--reason', 'r')).code).toBe(0);
  await story.sync();
  expect(await listReads(story)).toEqual(quiet);
});

const UNDONE: readonly (readonly [what: string, change: Partial<Company>])[] = [
  [
    'new projects, sections and proposals',
    {
      deals: [...SETTLED.deals, ...['P7', 'P8'].map((id) => ({ id, customer: 'C1', name: id }))],
      certificates: [...SETTLED.certificates, ...IDS.map((id) => ({ id: `X${id}`, person: id, name: 'Sky' }))],
      bids: [...SETTLED.bids, { id: 'B9', name: 'Bid B9', owner: 'E0', people: ['E1'], projects: ['P1'] }],
    },
  ],
  ['certificates', { certificates: IDS.map((id) => ({ id: `K${id}`, person: id, name: 'Clouds' })) }],
  ['projects', { deals: SETTLED.deals.map((deal) => ({ ...deal, name: `New ${deal.id}` })) }],
  ['tags on CVs', { people: SETTLED.people.map((row) => ({ ...row, rank: 'diver' })) }],
];

sweep.each(UNDONE)('reports %s that were undone, and reads nothing for them', async (_what, change) => {
  const story = await openSettled();
  const quiet = await listReads(story);
  story.have(change);
  await story.undo(String((await story.sync()).json.run));
  await story.sync();
  expect(await listReads(story)).toEqual(quiet);
  expect((await story.sync()).json.held.length).toBeGreaterThan(1);
});

type Settings = { readonly [key: string]: Yaml };

const LEFT: readonly (readonly [what: string, settings: Settings, change: Partial<Company>])[] = [
  ['a project under another customer', {}, { deals: SETTLED.deals.map((deal) => ({ ...deal, customer: 'C2' })) }],
  [
    'sections under other people',
    {},
    { certificates: IDS.map((id, at) => ({ id: `K${id}`, person: IDS[9 - at] ?? '', name: 'Cloud' })) },
  ],
  [
    'all that changed under `create-only`',
    { policy: 'create-only' },
    {
      people: SETTLED.people.map((row) => ({ ...row, rank: 'diver' })),
      deals: SETTLED.deals.map((deal) => ({ ...deal, name: `New ${deal.id}` })),
      certificates: IDS.map((id) => ({ id: `K${id}`, person: id, name: 'Clouds' })),
      staffing: IDS.map((id) => ({ id: `S${id}`, project: 'P1', person: id, role: 'Lead' })),
      bids: SETTLED.bids.map((bid) => ({ ...bid, people: ['E1', 'E2'] })),
    },
  ],
  [
    'sections that are gone while their rows stay',
    { cv_sections: { certifications: { remove: { when: 'record.name == "withdrawn"' } } } },
    { certificates: IDS.slice(0, 3).map((id) => ({ id: `K${id}`, person: id, name: 'withdrawn' })) },
  ],
];

sweep.each(LEFT)('reads nothing for %s', async (_what, settings, change) => {
  const story = await openSettled();
  const quiet = await listReads(story);
  story.configure(settings);
  story.have(change);
  for (let run = 0; run < 3; run++) await story.sync();
  story.takeWrites();
  expect(await listReads(story)).toEqual(quiet);
  expect(story.takeWrites()).toEqual([]);
});

sweep('reads the object once the name is known, and sees edits by others in the meantime', async () => {
  const story = await openSettled();
  const named = { ...SETTLED.deals[0], owners: ['e1@example.com', 'e98@example.com'] };
  story.have({ deals: [named, ...SETTLED.deals.slice(1)] });
  for (let run = 0; run < 2; run++) await story.sync();
  const { id, company_customer_id } = (await story.others(
    'GET',
    '/api/v2/company/cv/projects/find?external_unique_id=P1',
  )) as { readonly id: string; readonly company_customer_id: string };
  const path = `/api/v2/company/cv/customers/${company_customer_id}/projects/${id}/project_owners/sync_by_email`;
  await story.others('PUT', path, { emails: ['e2@example.com'] });

  story.have({ people: [...SETTLED.people, person('E98')] });
  expect((await story.sync()).code).toBe(0);
  expect(story.customers()[0]?.projects[0]?.owners).toEqual(['e1@example.com', 'e98@example.com']);
});
