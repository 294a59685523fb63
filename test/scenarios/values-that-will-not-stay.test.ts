import { expect, test } from 'vitest';
import { CREATE_USER, openStory, person, UPDATE_USER } from './kit.js';

test('a language the account does not have is dropped by the service: reported, and not written again and again', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  story.takeWrites();
  story.configure({ users: { fields: { title: { en: 'record.?title', de: 'record.?title_no' } } } });
  story.deliver([person('E1', { title: 'Engineer', title_no: 'Ingenieur' }), person('E2')]);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(ran.json.failed).toMatchObject([{ key: 'E1', code: 'SYNC_WRITE_NOT_TAKEN' }]);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').title).toEqual({ en: 'Engineer' });

  // The second run sees the same field refusing the same value: it says so, and leaves it.
  const again = await story.sync();
  expect(again.code).toBe(4);
  expect(story.takeWrites()).toEqual([]);
});

test('a new person with such a value is created once, and owned', async () => {
  const story = await openStory();
  story.configure({ users: { fields: { title: { de: 'record.?title' } } } });
  story.deliver([person('E1', { title: 'Ingenieur' })]);
  expect((await story.sync()).code).toBe(4);
  expect(story.takeWrites()).toEqual([CREATE_USER]);
  expect((await story.status()).json.links.users).toBe(1);
  await story.sync();
  expect(story.takeWrites()).toEqual([]);
  expect(story.users()).toHaveLength(1);
});

test('an update of somebody who was deleted meanwhile fails for that person alone, and a full read mends it', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  const found = (await story.others('GET', '/api/v1/users/find?external_unique_id=E1')) as { readonly id: string };
  await story.others('DELETE', `/api/v1/users/${found.id}`);
  story.deliver([person('E1', { title: 'Lead' }), person('E2', { title: 'Lead' })]);
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 4, json: { done: 1 } });
  expect(ran.json.failed).toMatchObject([{ key: 'E1' }]);
  expect((await story.sync({ full: true })).code).toBe(0);
  expect(story.user('E1').title).toEqual({ en: 'Lead' });
});
