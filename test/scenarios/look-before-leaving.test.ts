import { expect, test } from 'vitest';
import { person } from './company.js';
import { openStory, UPDATE_USER } from './kit.js';

test('fails only a leaver whose look-up fails, continues with the others, and catches up in the next run', async () => {
  const story = await openStory();
  story.configure({ users: { leaver: { after_missing_reads: 1 } } });
  story.deliver([person('E1'), person('E2'), person('E3')]);
  await story.sync();
  await story.sync();
  const found = (await story.others('GET', '/api/v1/users/find?external_unique_id=E2')) as { readonly id: string };
  story.takeWrites();

  story.deliver([person('E1', { title: 'Lead' })]);
  // Four failures, since one read is tried four times.
  story.sandbox.faults.add({ kind: 'status', status: 500, method: 'GET', path: `/api/v1/users/${found.id}`, times: 4 });
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(ran.json.done).toBe(2);
  expect(ran.json.failed).toMatchObject([{ entity: 'users', key: 'E2', code: 'SYNC_SERVICE_DOWN' }]);
  expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER]);
  expect([story.user('E2').deactivated, story.user('E3').deactivated]).toEqual([false, true]);

  expect((await story.sync()).code).toBe(0);
  expect(story.user('E2').deactivated).toBe(true);
});
