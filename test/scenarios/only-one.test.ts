import { expect, test } from 'vitest';
import { person } from './company.js';
import { openStory } from './kit.js';

test('--only of somebody nobody knows is an error, and nothing is written for anybody', async () => {
  const story = await openStory({
    users: [{ country: 'no', office: 'Oslo', email: 'stranger@example.com', name: 'Stranger' }],
  });
  story.deliver([person('E1')]);
  for (const only of ['user:nobody@example.com', 'user:stranger@example.com', 'customer:E1']) {
    for (const ran of [await story.plan({ only }), await story.sync({ only })]) {
      expect(ran).toMatchObject({ code: 1, error: { code: 'SYNC_NOT_FOUND', place: '--only' } });
    }
  }
  expect((await story.plan({ only: 'user:stranger@example.com' })).error?.message).toContain('is in the service');
  expect(story.takeWrites()).toEqual([]);
});

test('--only of somebody with nothing to do is fine, by key, address and name, and leaves the others alone', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  await story.sync();
  story.takeWrites();
  story.deliver([person('E1'), person('E2')]);
  for (const who of ['E1', 'e1@example.com', 'Person E1']) {
    expect(await story.plan({ only: `user:${who}` })).toMatchObject({ code: 0, json: { counts: {} } });
  }
  expect(await story.sync({ only: 'user:E1' })).toMatchObject({ code: 0, json: { counts: {}, done: 0 } });
  expect(story.takeWrites()).toEqual([]);
  expect(story.users()).toHaveLength(1);
});
