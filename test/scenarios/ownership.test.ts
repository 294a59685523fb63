import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { CREATE_USER, openStory, type Story, summarise, UPDATE_USER } from './kit.js';

const oslo = { country: 'no', office: 'Oslo' };

/** An older account: two people who match, an unknown one, a guest and an administrator. */
async function openOld(): Promise<Story> {
  const story = await openStory({
    users: [
      { ...oslo, email: 'e1@example.com', name: 'Person E1', external_unique_id: 'E1' },
      { ...oslo, email: 'E2@Example.com', name: 'Other Name', external_unique_id: null, title: { en: 'Old' } },
      { ...oslo, email: 'stranger@example.com', name: 'Stranger' },
      { ...oslo, email: 'guest@other.com', name: 'Guest', roles: ['external'] },
      { ...oslo, email: 'admin@example.com', name: 'Admin', roles: ['internationalmanager'] },
    ],
  });
  story.deliver([person('E1'), person('E2', { title: 'Lead' }), person('E3')]);
  return story;
}

sweep(
  'reports first contact before any write: by which field, with which differences, and on one side only',
  async () => {
    const story = await openOld();
    const plan = await story.plan();
    const [report] = plan.json.adoption ?? [];
    expect(report).toMatchObject({
      entity: 'users',
      matched: { external_unique_id: 1, email: 1 },
      equal: 1,
      only_in_source: { count: 1, samples: ['Person E3 <e3@example.com>'] },
      only_in_service: { count: 3 },
      doubtful: 0,
    });
    expect(Object.keys(report?.differing ?? {}).sort()).toEqual(['external_unique_id', 'name', 'title']);
    expect(report?.differing.name).toEqual({
      count: 1,
      samples: [{ label: 'Other Name <E2@Example.com>', before: 'Other Name', after: 'Person E2' }],
    });
    expect(JSON.parse(readFileSync(plan.json.file, 'utf8'))).toMatchObject({ adoption: [{ entity: 'users' }] });
    expect(story.takeWrites()).toEqual([]);

    await story.sync();
    expect((await story.plan()).json.adoption).toBeUndefined();
  },
);

sweep('counts a doubtful match as doubtful, and its accounts as taken', async () => {
  const story = await openOld();
  story.configure({ users: { match: ['external_unique_id', 'email', 'name'] } });
  story.deliver([
    person('E1'),
    person('E9', { first: 'Stranger', last: '' }),
    person('E10', { first: 'Stranger', last: '' }),
  ]);
  const [report] = (await story.plan()).json.adoption ?? [];
  expect(report).toMatchObject({ matched: { external_unique_id: 1 }, doubtful: 2, only_in_service: { count: 3 } });
});

sweep('leaves people alone whom it neither created nor adopted', async () => {
  const story = await openOld();
  await story.sync();
  expect(story.takeWrites().sort()).toEqual([CREATE_USER, UPDATE_USER]);
  expect((await story.sync({ full: true })).json).toMatchObject({ counts: {}, held: [] });
});

sweep(
  'reports unowned people with `unowned: report`, guests and administrators separately, and ends with 0',
  async () => {
    const story = await openOld();
    story.configure({ users: { unowned: 'report' } });
    await story.sync();
    const told = await story.sync({ full: true });
    expect(told.code).toBe(0);
    expect(summarise(told.json.held)).toEqual([expect.stringMatching(/^id:\S+ SYNC_ACCOUNT_UNOWNED$/)]);
    expect(told.json.held[0]?.reason).toContain('Stranger <stranger@example.com>');
  },
);

test('deactivates unowned people under the guard on a full read, but no guests or administrators', async () => {
  const story = await openOld();
  story.configure({ users: { unowned: 'deactivate' }, guards: { users: { deactivate: { max: 0 } } } });
  const held = await story.sync();
  expect(held.json.guards).toMatchObject([{ guard: 'users.deactivate', found: 1, held: 1 }]);
  story.takeWrites();
  // The feed alone proves nothing about the complete account.
  expect((await story.sync()).json.counts).toEqual({});

  story.configure({ guards: { users: { deactivate: { max: 1 } } } });
  expect((await story.sync({ full: true })).json).toMatchObject({ done: 1, guards: [] });
  const gone = story.users().filter(({ deactivated }) => deactivated);
  expect(gone.map(({ email }) => email)).toEqual(['stranger@example.com']);
  expect((await story.sync({ full: true })).json.counts).toEqual({});
});

sweep('counts a row out of scope, and an unusable row, for its account', async () => {
  const story = await openOld();
  story.configure({ users: { unowned: 'deactivate', scope: 'record.?unit.orValue("") != "z"' } });
  const stranger = person('E7', { email: 'stranger@example.com', unit: 'z' });
  story.deliver([person('E1'), person('E2'), stranger]);
  await story.sync();
  story.takeWrites();
  expect((await story.sync({ full: true })).json.counts).toEqual({});
  // A row whose mapping fails could belong to anyone.
  story.configure({ users: { fields: { born_year: 'int(record.?rank.orValue("1980"))' } } });
  story.deliver([person('E1'), person('E2'), person('E8', { rank: 'none' })]);
  expect(summarise((await story.sync({ full: true })).json.held)).toEqual(['E8 SYNC_MAP_EXPRESSION']);
  expect(story.users().some(({ deactivated }) => deactivated)).toBe(false);
  story.deliver([person('E1'), person('E2')]);
  expect((await story.sync({ full: true })).json.counts).toMatchObject({ users: { deactivate: 1 } });
  expect(story.user('stranger@example.com').deactivated).toBe(true);
});
