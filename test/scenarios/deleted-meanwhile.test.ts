import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { openStory, type Story, summarise } from './kit.js';

/* An account is deleted in the service after the last read. The users feed does not show this, so a write finds out. */

async function openWithDeleted(settings: Parameters<Story['configure']>[0] = {}): Promise<Story> {
  const story = await openStory();
  story.configure(settings);
  const people = ['E1', 'E2', 'E3'].map((key) => person(key));
  story.deliver(people);
  await story.sync();
  await story.sync();
  const found = (await story.others('GET', '/api/v1/users/find?external_unique_id=E1')) as { readonly id: string };
  await story.others('DELETE', `/api/v1/users/${found.id}`);
  story.deliver(people.map((one) => ({ ...one, title: 'Lead' })));
  story.takeWrites();
  return story;
}

test('creates an account again in the next run after a write has shown that it was deleted', async () => {
  const story = await openWithDeleted();
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 4, json: { done: 2 } });
  expect(ran.json.failed).toEqual([
    expect.objectContaining({
      entity: 'users',
      key: 'E1',
      code: 'SYNC_OBJECT_GONE',
      message: 'The service answered 404, and a look-up shows that the user no longer exists there.',
      remedy: expect.stringContaining('No action needed: the next run'),
    }),
  ]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1, counts: { users: { create: 1 } } } });
  expect(story.user('E1')).toMatchObject({ title: { en: 'Lead' } });
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
});

sweep('holds the account that a write has shown to be deleted if the guard of creates holds it', async () => {
  const story = await openWithDeleted();
  story.configure({ guards: { users: { create: { max: 0 } } } });
  expect(await story.sync()).toMatchObject({ code: 4 });
  const next = await story.sync();
  expect(next).toMatchObject({ code: 3, json: { done: 0, guards: [{ guard: 'users.create', found: 1 }] } });
  expect(story.users().map(({ external_unique_id }) => external_unique_id)).toEqual(['E2', 'E3']);
});

sweep('only reports the account that a write has shown to be deleted under drift: report', async () => {
  const story = await openWithDeleted({ drift: 'report' });
  expect(await story.sync()).toMatchObject({ code: 4 });
  const next = await story.sync();
  expect([next.code, next.json.done, summarise(next.json.held)]).toEqual([0, 0, ['E1 SYNC_DRIFT_REPORTED']]);
  expect(story.users().map(({ external_unique_id }) => external_unique_id)).toEqual(['E2', 'E3']);
});
