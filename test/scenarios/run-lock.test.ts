import { expect, test } from 'vitest';
import { acquireRunLock } from '../../src/store/run-lock.js';
import { person } from './company.js';
import { openStory } from './kit.js';

test('a second run is told who holds the state; looking and approving go on; the lock goes with its holder', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  await story.plan();
  const lock = acquireRunLock(`${story.folder}/var`, 'sync, process 4711 on worker-1');
  const second = await story.sync();
  expect(second.code).toBe(1);
  expect(second.error).toMatchObject({ code: 'SYNC_STATE_LOCKED' });
  expect(second.error?.message).toContain('sync, process 4711 on worker-1');
  expect(second.error?.remedy).not.toBe('');
  expect((await story.status()).code).toBe(0);
  expect((await story.verify()).code).toBe(0);
  expect((await story.approve({ guard: 'users.create' })).error).toMatchObject({ code: 'SYNC_APPROVAL_NOTHING' });
  expect(story.takeWrites()).toEqual([]);
  lock.close();
  expect((await story.sync()).code).toBe(0);
});
