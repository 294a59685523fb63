import { expect, test } from 'vitest';
import { acquireRunLock } from '../../src/store/run-lock.js';
import { person } from './company.js';
import { openStory } from './kit.js';

test('names the holder of the state to a second run, and still lets people look and approve', async () => {
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
