import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { CREATE_USER, openStory, summarise, UPDATE_USER } from './kit.js';

const oslo = { country: 'no', office: 'Oslo' };

test('adopts existing people: writes nothing to equal ones, once to different ones, and leaves strangers alone', async () => {
  const story = await openStory({
    users: [
      { ...oslo, email: 'e1@example.com', name: 'Person E1', external_unique_id: 'E1' },
      { ...oslo, email: 'E2@Example.com', name: 'Other Name', external_unique_id: null },
      { ...oslo, email: 'stranger@example.com', name: 'Stranger', external_unique_id: 'X1' },
    ],
  });
  story.deliver([person('E1'), person('E2', { title: 'Lead' }), person('E3')]);
  const plan = await story.plan();
  expect(plan.json.counts).toEqual({ users: { create: 1, update: 1 } });

  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites().sort()).toEqual([CREATE_USER, UPDATE_USER]);
  expect(story.user('E2')).toMatchObject({ name: 'Person E2', title: { en: 'Lead' } });
  expect(story.user('X1')).toMatchObject({ name: 'Stranger', deactivated: false });
  expect((await story.status()).json.links.users).toBe(3);

  // Adopted people are owned: a person missing from the next file is a leaver. The stranger was never owned.
  story.deliver([person('E2', { title: 'Lead' }), person('E3')]);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').deactivated).toBe(true);
  expect(story.user('X1').deactivated).toBe(false);
});

sweep('adopts nobody in a plan', async () => {
  const story = await openStory({ users: [{ ...oslo, email: 'e1@example.com', external_unique_id: 'E1' }] });
  story.deliver([person('E1')]);
  await story.plan();
  expect((await story.status()).json.links.users).toBe(0);
});

test('holds an ambiguous match with its candidates, and creates or writes nobody', async () => {
  const story = await openStory({
    users: [
      { ...oslo, email: 'kari1@example.com', name: 'Kari Nord' },
      { ...oslo, email: 'kari2@example.com', name: 'Kari Nord' },
    ],
  });
  story.configure({ users: { match: ['external_unique_id', 'name'] } });
  story.deliver([person('E1', { first: 'Kari', last: 'Nord', email: 'kari@example.com' }), person('E2')]);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_MATCH_AMBIGUOUS']);
  expect(ran.json.held[0]?.reason).toContain('kari1@example.com');
  expect(ran.json.held[0]?.reason).toContain('kari2@example.com');
  expect(story.takeWrites()).toEqual([CREATE_USER]);
});

sweep('holds both of two records that claim one person', async () => {
  const story = await openStory({ users: [{ ...oslo, email: 'kari@example.com', name: 'Kari Nord' }] });
  story.configure({ users: { match: ['external_unique_id', 'name'] } });
  story.deliver([
    person('E1', { first: 'Kari', last: 'Nord' }),
    person('E2', { first: 'Kari', last: 'Nord' }),
    person('E3'),
  ]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_MATCH_CLAIMED', 'E2 SYNC_MATCH_CLAIMED']);
  expect(story.takeWrites()).toEqual([CREATE_USER]);
  expect(story.user('kari@example.com').external_unique_id).toBeNull();
});

sweep('requires fields that must match together: a namesake of another year is another person', async () => {
  const story = await openStory({
    users: [{ ...oslo, email: 'old@example.com', name: 'Person E1', born_year: 1950 }],
  });
  story.configure({
    users: { match: ['external_unique_id', ['name', 'born_year']], fields: { born_year: '1990' } },
  });
  story.deliver([person('E1')]);
  await story.sync();
  expect(story.takeWrites()).toEqual([CREATE_USER]);
  expect(story.users()).toHaveLength(2);
});

sweep('keeps a link after its keys change: a new e-mail and external id in HR change the same person', async () => {
  const story = await openStory();
  story.configure({ users: { fields: { external_unique_id: '"hr-" + record.?rank.orValue(record.id)' } } });
  story.deliver([person('E1')]);
  await story.sync();
  story.takeWrites();
  story.deliver([person('E1', { rank: '77', email: 'new.address@example.com' })]);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.users()).toMatchObject([{ external_unique_id: 'hr-77', email: 'new.address@example.com' }]);
});

sweep('reactivates a deactivated person with the same e-mail, instead of creating a second one', async () => {
  const story = await openStory({
    users: [{ ...oslo, email: 'e1@example.com', name: 'Person E1', external_unique_id: 'E1', deactivated: true }],
  });
  story.deliver([person('E1')]);
  expect((await story.plan()).json.counts).toEqual({ users: { reactivate: 1 } });
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').deactivated).toBe(false);
});
