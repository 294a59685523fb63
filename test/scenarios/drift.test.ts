import { expect, test } from 'vitest';
import { HOUR, person } from './company.js';
import { openStory, type Story, summarise, UPDATE_USER } from './kit.js';

/** Creates E1, then E2 a little later, and reads both: from then on the feed begins after E1. */
async function passBeyond(story: Story): Promise<void> {
  story.deliver([person('E1')]);
  await story.sync();
  story.clock.advance(5_000);
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  await story.sync();
}

test('drift: correct puts a managed field back with one write, and leaves the others alone', async () => {
  const story = await openStory();
  story.deliver([person('E1', { title: 'Engineer' })]);
  await story.sync();
  await story.editUser('E1', { name: 'By Hand', telephone: '+47 1' });
  story.takeWrites();
  const plan = await story.plan();
  expect(plan.json.counts).toEqual({ users: { update: 1 } });
  const explained = await story.explain('user', 'E1');
  expect(explained.json.steps.action).toMatchObject({ fields: ['name'], reason: { kind: 'drifted' } });
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ name: 'Person E1', telephone: '+47 1', title: { en: 'Engineer' } });
  expect((await story.plan()).json.counts).toEqual({});
});

test('drift: report tells it and writes nothing; a change in the source is still carried out', async () => {
  const story = await openStory();
  story.configure({ drift: 'report' });
  story.deliver([person('E1', { title: 'Engineer' })]);
  await story.sync();
  await story.editUser('E1', { name: 'By Hand' });
  story.takeWrites();
  const ran = await story.sync();
  expect(ran.code).toBe(0);
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_DRIFT_REPORTED']);
  expect(ran.json.held[0]?.reason).toContain('By Hand');
  expect(story.takeWrites()).toEqual([]);
  // Told as long as it lasts, not only once.
  expect(summarise((await story.sync()).json.held)).toEqual(['E1 SYNC_DRIFT_REPORTED']);

  story.deliver([person('E1', { title: 'Lead' })]);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ name: 'By Hand', title: { en: 'Lead' } });
});

test('drift that the feed does not show is found by a full read', async () => {
  const story = await openStory();
  story.configure({ users: { fields: { roles: '["consultant"]' } } });
  await passBeyond(story);
  await story.editUser('E1', { role: 'consultant', extra_roles: ['bidmanager'] });
  story.takeWrites();
  await story.sync();
  expect(story.takeWrites()).toEqual([]);
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').roles).toEqual(['consultant']);
});

test('a full read falls due by the schedule', async () => {
  const story = await openStory();
  await passBeyond(story);
  await story.editUser('E1', { deactivated: true });
  story.takeWrites();
  await story.sync();
  expect(story.takeWrites()).toEqual([]);
  expect(story.user('E1').deactivated).toBe(true);
  story.clock.advance(25 * HOUR);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').deactivated).toBe(false);
});
