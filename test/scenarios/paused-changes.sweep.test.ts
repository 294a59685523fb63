import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { HOUR, person } from './company.js';
import { CREATE_USER, openStory, type Story, summarise } from './kit.js';

/** The account accepts addresses of one domain only, so the service rejects this one with 422. */
const wrong = person('E1', { email: 'e1@elsewhere.org' });

async function openRefused(): Promise<Story> {
  const story = await openStory();
  story.deliver([wrong, person('E2')]);
  expect((await story.sync()).json).toMatchObject({ done: 1, failed: [{ key: 'E1', code: 'SYNC_SERVICE_REFUSED' }] });
  story.takeWrites();
  return story;
}

test('retries a rejected change in the next run, then after ever longer pauses, and says so', async () => {
  const story = await openRefused();
  expect((await story.sync()).json.failed).toHaveLength(1);
  expect(story.takeWrites()).toEqual([CREATE_USER]);

  const rests = await story.sync();
  expect(rests.code).toBe(4);
  expect(rests.json).toMatchObject({ done: 0, left: 0, failed: [] });
  expect(summarise(rests.json.held)).toEqual(['E1 SYNC_CHANGE_PAUSED']);
  expect(rests.json.held[0]?.reason).toMatch(/^Rejected 2 times since 20\S+ \S+ UTC, next try after 20/);
  expect(story.takeWrites()).toEqual([]);

  const tries: number[] = [];
  let before = 0;
  // The loop also checks the hour before each attempt, and some hours after it.
  for (const hour of [1, 2, 3, 4, 5, 6, 28, 29, 30, 52, 53, 54]) {
    story.clock.advance((hour - before) * HOUR);
    before = hour;
    await story.sync();
    if (story.takeWrites().length > 0) tries.push(hour);
  }
  // After 1 hour, then after 4, then once per day.
  expect(tries).toEqual([1, 5, 29, 53]);
});

sweep('reports a paused change as held, and leaves it out of the counts', async () => {
  const story = await openRefused();
  await story.sync();
  story.deliver([wrong, person('E2'), person('E3')]);
  expect((await story.plan()).json).toMatchObject({ counts: { users: { create: 1 } }, cost: { writes: 1 } });
  const plan = await story.type('plan');
  expect(plan.stdout).toMatch(/^Plan \S+: 1 change, 1 record held, good until .*\n {2}\+ create {6}1 user\n/);
  expect(plan.stdout).toMatch(/\nusers to create \(2\), 1 waiting: .*\n(.*\n){2} +waits for its next try after /);
  const run = await story.type('sync');
  expect(run.stdout).toMatch(/^Run \S+: 1 change done, 1 record held\n {2}\+ create {6}1 user\n/);
  expect((await story.type('plan')).stdout).toMatch(/^Plan \S+: nothing to change, 1 record held\n/);
});

sweep('tries a corrected row immediately, and resets the count once it succeeds', async () => {
  const story = await openRefused();
  await story.sync();
  story.takeWrites();
  story.deliver([{ ...wrong, email: 'e1@example.com' }, person('E2')]);
  expect((await story.sync()).json).toMatchObject({ done: 1, held: [] });
  story.deliver([wrong, person('E2')]);
  for (const run of [1, 2]) expect((await story.sync()).json.failed, `run ${run}`).toHaveLength(1);
  expect((await story.sync()).json.held).toMatchObject([{ code: 'SYNC_CHANGE_PAUSED' }]);
});

sweep('tries a change that is requested by name despite its pause', async () => {
  const story = await openRefused();
  await story.sync();
  story.takeWrites();
  await story.sync({ only: 'user:E1' });
  expect(story.takeWrites()).toEqual([CREATE_USER]);
});
