import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { CREATE_USER, openStory, UPDATE_USER } from './kit.js';

test('applies the newest requested plan with `apply`, and only what that plan contains', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  story.deliver([person('E1', { title: 'Lead' }), person('E2'), person('E3')]);
  await story.plan();
  const plan = await story.plan();
  expect(plan.json.counts).toEqual({ users: { create: 1, update: 1 } });
  // A run makes its own plan, which nobody has looked at.
  story.deliver([person('E1', { title: 'Lead' }), person('E2'), person('E3'), person('E4')]);
  await story.sync({ only: 'user:E4' });
  story.deliver([
    person('E1', { title: 'Lead' }),
    person('E2', { title: 'New' }),
    person('E3'),
    person('E4'),
    person('E5'),
  ]);
  story.takeWrites();

  const ran = await story.apply();
  expect(ran).toMatchObject({ code: 0, json: { plan: plan.json.plan, counts: plan.json.counts, done: 2, left: 0 } });
  expect(ran.json.left_out).toEqual([]);
  expect(story.takeWrites().sort()).toEqual([CREATE_USER, UPDATE_USER]);
  expect(story.users().map(({ external_unique_id }) => external_unique_id)).toEqual(['E1', 'E2', 'E3', 'E4']);
  expect(story.user('E2').title).toEqual({});
  // A second apply has nothing left to do.
  expect((await story.apply()).json).toMatchObject({ plan: plan.json.plan, counts: {}, done: 0 });
  expect((await story.plan()).json.counts).toEqual({ users: { create: 1, update: 1 } });
});

sweep('rejects apply when only runs made plans', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  await story.sync();
  expect(await story.apply()).toMatchObject({ code: 1, error: { code: 'SYNC_PLAN_MISSING' } });
});
