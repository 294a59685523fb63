import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { CREATE_USER, openStory } from './kit.js';

test('creates everyone with one write each, then has nothing to do in a second sync and sends only reads', async () => {
  const story = await openStory();
  story.deliver([person('E1', { title: 'Engineer' }), person('E2', { office: 'Bergen' }), person('E3')]);

  const first = await story.sync();
  expect(first.code).toBe(0);
  expect(first.json).toMatchObject({ counts: { users: { create: 3 } }, calls: { writes: 3 }, done: 3, failed: [] });
  expect(story.takeWrites()).toEqual([CREATE_USER, CREATE_USER, CREATE_USER]);
  expect(story.user('E1')).toMatchObject({ email: 'e1@example.com', name: 'Person E1', title: { en: 'Engineer' } });
  expect(story.user('E2').office).toBe('no/Bergen');

  const plan = await story.plan({ detailedExitcode: true });
  expect(plan.code).toBe(0);
  expect(plan.json).toMatchObject({ counts: {}, held: [], guards: [], cost: { writes: 0, reads: 0 } });

  const second = await story.sync();
  expect(second.code).toBe(0);
  expect(second.json).toMatchObject({ counts: {}, calls: { writes: 0 }, done: 0 });
  expect(story.takeWrites()).toEqual([]);
});

test('sends three reads in a second sync: countries, tag categories, and the feed of recent changes', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  const second = await story.sync();
  // Countries 1, categories 1, feed ⌊changed / limit⌋ + 1 = 1.
  expect(second.json.calls).toEqual({ reads: 3, writes: 0 });
});

sweep('shows by the exit code of a plan that it has changes, and writes nothing', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  const plan = await story.plan({ detailedExitcode: true });
  expect(plan.code).toBe(2);
  expect(plan.json).toMatchObject({ counts: { users: { create: 1 } }, cost: { writes: 1 } });
  expect(story.takeWrites()).toEqual([]);
  expect(story.users()).toEqual([]);
});

sweep('makes the same plan from the same input, except for its name and times', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E2')]);
  const [one, two] = [await story.plan(), await story.plan()];
  expect(two.json.fingerprint).toBe(one.json.fingerprint);
  expect(two.json.plan).not.toBe(one.json.plan);
});
