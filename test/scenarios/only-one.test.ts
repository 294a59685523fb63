import { expect, test } from 'vitest';
import { person } from './company.js';
import { openStory } from './kit.js';

test('a guard holds who is asked for alone as well, for it counts everybody', async () => {
  const story = await openStory();
  const staff = Array.from({ length: 10 }, (_, index) => person(`E${index + 1}`));
  story.deliver(staff);
  await story.sync();
  story.takeWrites();
  story.deliver([...staff.slice(0, 5), { ...person('E6'), title: 'Lead' }]);
  expect((await story.plan()).json.guards).toMatchObject([{ guard: 'users.deactivate', held: 4, found: 4 }]);
  const alone = await story.sync({ only: 'user:E10' });
  expect(alone).toMatchObject({
    code: 3,
    json: { done: 0, guards: [{ guard: 'users.deactivate', held: 1, found: 4 }] },
  });
  expect(story.takeWrites()).toEqual([]);
  expect(await story.sync({ only: 'user:E6' })).toMatchObject({ code: 0, json: { done: 1, guards: [] } });

  await story.approve({ who: 'user:E10' });
  expect(await story.sync({ only: 'user:E10' })).toMatchObject({ code: 0, json: { done: 1, guards: [] } });
  expect(story.users().filter(({ deactivated }) => deactivated)).toMatchObject([{ external_unique_id: 'E10' }]);
});

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
