import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { HOUR, person } from './company.js';
import { CREATE_USER, openStory, type Story } from './kit.js';

/** `22:00-06:00` in UTC, relative to the current time of the story's clock. */
function around(story: Story, fromHours: number, toHours: number): string {
  const at = (hours: number): string => new Date(story.clock.now() + hours * HOUR).toISOString().slice(11, 16);
  return `${at(fromHours)}-${at(toHours)}`;
}

test('plans, counts and writes nothing in quiet hours; the next run after them writes', async () => {
  const story = await openStory();
  story.configure({ quiet_hours: [around(story, -1, 1)] });
  story.deliver([person('E1'), person('E2')]);
  const quiet = await story.sync();
  expect(quiet.code).toBe(3);
  expect(quiet.json).toMatchObject({ counts: { users: { create: 2 } }, done: 0, left: 2, failed: [] });
  expect(quiet.json.stopped).toMatch(/^quiet hours \(\d\d:\d\d-\d\d:\d\d, UTC\) until 20/);
  expect(story.takeWrites()).toEqual([]);

  story.clock.advance(2 * HOUR);
  expect((await story.sync()).json).toMatchObject({ done: 2, left: 0, stopped: null });
});

sweep('does not wait if nothing is to be written', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  await story.sync();
  story.configure({ quiet_hours: ['00:00-24:00'] });
  expect(await story.sync()).toMatchObject({ code: 0, json: { left: 0 } });
});

sweep('writes for an operator who insists, by sync and by apply', async () => {
  const story = await openStory();
  story.configure({ quiet_hours: [around(story, -1, 1)] });
  story.deliver([person('E1')]);
  await story.plan();
  expect((await story.apply()).json).toMatchObject({ done: 0, left: 1 });
  expect((await story.sync({ ignoreQuietHours: true })).json).toMatchObject({ done: 1, left: 0 });
});

sweep('starts no more changes once a run reaches quiet hours', async () => {
  const story = await openStory();
  // One call per minute: a dozen calls, including reads, fit before the quiet hours begin.
  story.configure({
    quiet_hours: [around(story, 0.2, 10)],
    service: { rate_limit: { concurrency: 1, per_minute: 1 } },
  });
  story.deliver(Array.from({ length: 20 }, (_, index) => person(`E${index + 1}`)));
  const ran = await story.sync();
  expect(ran.code).toBe(3);
  expect(ran.json.done).toBeGreaterThan(0);
  expect(ran.json.done + ran.json.left).toBe(20);
  expect(ran.json.left).toBeGreaterThan(5);
  expect(ran.json.stopped).toContain('quiet hours');
  expect(story.takeWrites()).toEqual(Array.from({ length: ran.json.done }, () => CREATE_USER));
});
