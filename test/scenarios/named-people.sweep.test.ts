import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { BID, contents } from './bids.js';
import { person, type Row } from './company.js';
import { CREATE_SECTION, forgetMirror, sectionsOf } from './cvs.js';
import { UPDATE_USER } from './kit.js';
import { describePlan, planFromScratch } from './plan-from-scratch.js';
import { openWhole, type WholeStory } from './whole-company.js';

/**
 * The CRM names the first of three people in every kind of record. Then HR moves that address, while the CRM's files
 * stay
 * unchanged: they still mean the same person.
 */
const [anna, bo, cleo] = ['a', 'b', 'c'].map((letter) => `${letter}@example.com`) as [string, string, string];
const ANNA = person('E1', { email: anna });
const BO = person('E2', { email: bo });
const CLEO = person('E3', { email: cleo });

const DEAL = { id: 'P1', customer: 'C1', name: 'Dam' };
const OPPORTUNITY = { ...BID, projects: [] };

async function openNamed(word: string): Promise<WholeStory> {
  const story = await openWhole();
  story.configure({ users: { parking_email: 'parked-{id}@example.com' } });
  story.have({
    people: [ANNA, BO, CLEO],
    companies: [{ id: 'C1', name: 'Fjord Power' }],
    deals: [{ ...DEAL, owners: [word] }],
    certificates: [{ id: 'k1', person: word, name: 'Scrum' }],
    staffing: [{ id: 's1', project: 'P1', person: word, role: 'Lead' }],
    bids: [{ ...OPPORTUNITY, owner: word, team: [word], people: [word] }],
  });
  expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  return story;
}

/** The owners of the project, names in the proposal, and the owners of certificate and link. */
async function whoIsNamed(story: WholeStory) {
  const { owner_name, collaborators, cvs } = await contents(story, BID.name);
  const having = (kind: string) =>
    ['E1', 'E2', 'E3'].filter(
      (id) => story.users().some((user) => user.external_unique_id === id) && sectionsOf(story, id, kind).length > 0,
    );
  return {
    owners: story.customers()[0]?.projects[0]?.owners,
    proposal: { owner_name, collaborators, cvs },
    certified: having('certifications'),
    staffed: having('project_experiences'),
  };
}

type Changed = readonly [what: string, rows: readonly Row[], address: string];

const CHANGES: readonly Changed[] = [
  ['she and a colleague swap addresses', [{ ...ANNA, email: bo }, { ...BO, email: anna }, CLEO], bo],
  ['her address changes', [{ ...ANNA, email: 'gift@example.com' }, BO, CLEO], 'gift@example.com'],
  [
    'her old address passes to a joiner',
    [{ ...ANNA, email: 'old@example.com' }, BO, CLEO, person('E7', { email: anna })],
    'old@example.com',
  ],
];

const RUNS: readonly (readonly [what: string, before: (story: WholeStory) => void, full: boolean])[] = [
  ['a normal run', () => {}, false],
  ['a full read', () => {}, true],
  ['a lost mirror', forgetMirror, false],
  ['an edited configuration', (story) => story.configure({ timezone: 'Europe/Oslo' }), false],
];

test.each(oneIn(1, CHANGES))('finds nothing to do in any kind of run after this: %s', async (_what, rows, address) => {
  const story = await openNamed(anna);
  story.have({ people: rows });
  expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  const expected = {
    owners: [address],
    proposal: { owner_name: 'Person E1', collaborators: [address], cvs: [address] },
    certified: ['E1'],
    staffed: ['E1'],
  };
  expect(await whoIsNamed(story)).toEqual(expected);

  for (const [what, before, full] of RUNS) {
    before(story);
    expect(await story.sync({ full }), what).toMatchObject({ code: 0, json: { done: 0, held: [] } });
    expect(story.takeWrites(), what).toEqual([]);
    expect(await whoIsNamed(story), what).toEqual(expected);
  }
  expect(await planFromScratch(story)).toEqual(describePlan(await story.plan({ full: true })));
});

sweep('keeps the people meant when an address moves in the same run as an edit or a full read', async () => {
  const story = await openNamed(anna);
  story.have({ people: [{ ...ANNA, email: bo }, { ...BO, email: anna }, CLEO] });
  story.configure({ timezone: 'Europe/Oslo' });
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { held: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER, UPDATE_USER]);
  expect(await whoIsNamed(story)).toMatchObject({ owners: [bo], certified: ['E1'], staffed: ['E1'] });
  for (const full of [false, true]) expect((await story.plan({ full })).json.counts).toEqual({});
});

sweep('keeps the person meant when a row changes otherwise; another address means its current owner', async () => {
  const story = await openNamed(anna);
  story.have({ people: [{ ...ANNA, email: bo }, { ...BO, email: anna }, CLEO] });
  await story.sync();
  story.have({ deals: [{ ...DEAL, name: 'Big dam', owners: [anna, cleo] }] });
  expect((await story.sync()).code).toBe(0);
  expect((await whoIsNamed(story)).owners).toEqual([bo, cleo]);
  for (const full of [false, true]) expect((await story.plan({ full })).json.counts).toEqual({});

  story.have({ deals: [{ ...DEAL, owners: ['E2'] }] });
  expect((await story.sync()).code).toBe(0);
  expect((await whoIsNamed(story)).owners).toEqual([anna]);
  // The address is new in the row again, and means its current owner.
  story.have({ deals: [{ ...DEAL, owners: [bo] }] });
  expect((await story.sync()).code).toBe(0);
  expect((await whoIsNamed(story)).owners).toEqual([bo]);
  for (const full of [false, true]) expect((await story.plan({ full })).json.counts).toEqual({});
});

test('takes a new row with an address to mean its current owner', async () => {
  const story = await openNamed(anna);
  story.have({ people: [{ ...ANNA, email: bo }, { ...BO, email: anna }, CLEO] });
  await story.sync();
  story.takeWrites();
  story.have({
    certificates: [
      { id: 'k1', person: anna, name: 'Scrum' },
      { id: 'k2', person: anna, name: 'Cloud' },
    ],
  });
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([CREATE_SECTION]);
  expect((await whoIsNamed(story)).certified).toEqual(['E1', 'E2']);
});

/** All CRM records that name one person. */
const naming = (word: string) => ({
  deals: [{ ...DEAL, owners: [word] }],
  certificates: [{ id: 'k1', person: word, name: 'Scrum' }],
  staffing: [{ id: 's1', project: 'P1', person: word, role: 'Lead' }],
  bids: [{ ...OPPORTUNITY, owner: word, team: [word], people: [word] }],
});

sweep.each([
  ['a colleague leaves for a new one', [{ ...ANNA, email: bo }, { ...BO, email: 'gift@example.com' }, CLEO], 2],
  ['a colleague swaps with her', [{ ...ANNA, email: bo }, { ...BO, email: anna }, CLEO], 3],
])('still means her in rows that follow her to the address that %s, in one run', async (_what, people, writes) => {
  const story = await openNamed(anna);
  const before = await whoIsNamed(story);
  story.have({ people, ...naming(bo) });
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [] } });
  expect(story.takeWrites()).toEqual(Array(writes).fill(UPDATE_USER));
  const expected = { ...before, owners: [bo], proposal: { owner_name: 'Person E1', collaborators: [bo], cvs: [bo] } };
  expect(await whoIsNamed(story)).toEqual(expected);
  for (const full of [false, true]) expect((await story.plan({ full })).json).toMatchObject({ counts: {}, held: [] });
});

sweep('takes a new row to mean the joiner who gets the address in the same run', async () => {
  const story = await openNamed('E1');
  const people = [{ ...ANNA, email: 'old@example.com' }, BO, CLEO, person('E7', { email: anna })];
  story.have({
    people,
    certificates: [
      { id: 'k1', person: 'E1', name: 'Scrum' },
      { id: 'k7', person: anna, name: 'Cloud' },
    ],
  });
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [] } });
  expect(['E1', 'E7'].map((id) => sectionsOf(story, id, 'certifications').length)).toEqual([1, 1]);
  for (const full of [false, true]) expect((await story.plan({ full })).json).toMatchObject({ counts: {}, held: [] });
});

sweep('takes a new row to mean the current owner while another person cannot get the address', async () => {
  const story = await openNamed('E1');
  // Cleo's row has Bo's address by mistake; her title changes all the same.
  story.have({ people: [ANNA, BO, { ...CLEO, email: bo, title: 'Lead' }], ...naming(bo) });
  story.have({ certificates: [{ id: 'k2', person: bo, name: 'Cloud' }] });
  expect((await story.sync()).json.held.map(({ code }) => code)).toEqual(['SYNC_VALUE_TAKEN']);
  expect(await whoIsNamed(story)).toMatchObject({ owners: [bo], certified: ['E1', 'E2'], staffed: ['E1', 'E2'] });
  expect((await story.plan({ full: true })).json.counts).toEqual({});
});

sweep('follows an address that passes between two people in a row that names both', async () => {
  const story = await openNamed('E3');
  const both = (owner: string, other: string) => ({
    deals: [{ ...DEAL, owners: [owner, other] }],
    bids: [{ ...OPPORTUNITY, owner, team: [other], people: [other] }],
  });
  story.have(both(anna, bo));
  await story.sync();
  story.takeWrites();
  const gift = 'gift@example.com';
  story.have({ people: [{ ...ANNA, email: bo }, { ...BO, email: gift }, CLEO], ...both(bo, gift) });
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER]);
  const { owners, proposal } = await whoIsNamed(story);
  expect([owners, proposal.owner_name]).toEqual([[bo, gift], 'Person E1']);
  for (const full of [false, true]) expect((await story.plan({ full })).json).toMatchObject({ counts: {}, held: [] });
});
