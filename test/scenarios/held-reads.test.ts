import { expect, test } from 'vitest';
import { person } from './company.js';
import { takeReads } from './cvs.js';
import { type Company, openWhole, type WholeStory } from './whole-company.js';

/** Ten people with something of everything, none of it held. */
const IDS = Array.from({ length: 10 }, (_, at) => `E${at}`);
const SETTLED = {
  people: IDS.map((id) => person(id, { unit: 'north', rank: 'pilot' })),
  companies: ['C1', 'C2'].map((id) => ({ id, name: `Company ${id}` })),
  deals: ['P1', 'P2'].map((id, at) => ({ id, customer: `C${at + 1}`, name: `Deal ${id}`, owners: ['e1@example.com'] })),
  certificates: IDS.map((id) => ({ id: `K${id}`, person: id, name: 'Cloud' })),
  staffing: IDS.map((id) => ({ id: `S${id}`, project: 'P1', person: id })),
  bids: [{ id: 'B1', name: 'Bid B1', owner: 'E0', people: ['E1'], projects: ['P1'] }],
} satisfies Company;

const add = (part: keyof Company, ...rows: readonly object[]): Partial<Company> =>
  ({ [part]: [...SETTLED[part], ...rows] }) as Partial<Company>;

const HELD: readonly (readonly [what: string, records: number, change: Partial<Company>])[] = [
  [
    'staffing of an unknown project',
    10,
    add('staffing', ...IDS.map((id) => ({ id: `X${id}`, project: 'P9', person: id }))),
  ],
  ['staffing of an unknown person', 1, add('staffing', { id: 'X1', project: 'P1', person: 'E99' })],
  ['a certificate of an unknown person', 1, add('certificates', { id: 'X1', person: 'E99', name: 'Cloud' })],
  ['a certificate without a name', 10, add('certificates', ...IDS.map((id) => ({ id: `X${id}`, person: id })))],
  ['a project of an unknown customer', 1, add('deals', { id: 'P9', customer: 'C9', name: 'Nine' })],
  [
    'a project of an unknown owner',
    1,
    add('deals', { id: 'P9', customer: 'C1', name: 'Nine', owners: ['nobody@example.com'] }),
  ],
  [
    'a project that changes, with an unknown owner',
    2,
    { deals: SETTLED.deals.map((deal) => ({ ...deal, owners: ['e1@example.com', 'nobody@example.com'] })) },
  ],
  ['a proposal of an unknown person', 1, { bids: SETTLED.bids.map((bid) => ({ ...bid, people: ['E1', 'E99'] })) }],
  [
    'a new proposal of an unknown owner',
    1,
    add('bids', { id: 'B9', name: 'Bid B9', owner: 'E99', people: [], projects: [] }),
  ],
  ['a proposal of an unknown project', 1, { bids: SETTLED.bids.map((bid) => ({ ...bid, projects: ['P1', 'P9'] })) }],
  ['a person of an unknown tag', 1, add('people', person('E98', { unit: 'nowhere' }))],
  ['people of an unknown tag on the CV', 10, { people: SETTLED.people.map((row) => ({ ...row, rank: 'nothing' })) }],
  ['a person in an unknown country', 1, add('people', person('E98', { country: 'xx' }))],
  ['two people of one address', 1, add('people', person('E97', { email: 'e1@example.com' }))],
];

async function openSettled(): Promise<WholeStory> {
  const story = await openWhole({ tagsOnCvs: true });
  story.have(SETTLED);
  for (const full of [false, true, false]) await story.sync({ full });
  return story;
}

/** What a run without a full read asks. */
async function listReads(story: WholeStory): Promise<readonly string[]> {
  takeReads(story);
  await story.sync();
  return takeReads(story);
}

test.each(HELD)('%s: held, and no run reads anything for its sake', async (_what, records, change) => {
  const story = await openSettled();
  const quiet = await listReads(story);
  story.have(change);
  for (let run = 0; run < 2; run++) await story.sync();
  story.takeWrites();
  expect(await listReads(story)).toEqual(quiet);
  const { json } = await story.sync();
  expect(json.held).toHaveLength(records);
  expect(story.takeWrites()).toEqual([]);
});

const UNDONE: readonly (readonly [what: string, change: Partial<Company>])[] = [
  ['certificates', { certificates: IDS.map((id) => ({ id: `K${id}`, person: id, name: 'Clouds' })) }],
  ['projects', { deals: SETTLED.deals.map((deal) => ({ ...deal, name: `New ${deal.id}` })) }],
  ['tags on CVs', { people: SETTLED.people.map((row) => ({ ...row, rank: 'diver' })) }],
];

test.each(UNDONE)(
  '%s that were undone are told of, and no run reads anything for their sake',
  async (_what, change) => {
    const story = await openSettled();
    const quiet = await listReads(story);
    story.have(change);
    await story.undo(String((await story.sync()).json.run));
    await story.sync();
    expect(await listReads(story)).toEqual(quiet);
    expect((await story.sync()).json.held.length).toBeGreaterThan(1);
  },
);

test('once the name is known the object is read first: what others did to it meanwhile is seen', async () => {
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
