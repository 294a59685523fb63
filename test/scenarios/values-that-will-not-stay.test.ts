import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { openSieve } from './gate.js';
import { CREATE_USER, openStory, type Story, UPDATE_USER } from './kit.js';

/** A service that silently drops telephone numbers. */
async function openDeaf(): Promise<Story> {
  const story = await openStory();
  story.configure({ users: { fields: { telephone: 'record.?phone' } } });
  const sieve = await openSieve(story.sandbox.url, (body) => body.replace(/"telephone":"[^"]*",?/, ''));
  story.configure({ service: { base_url: sieve.url } });
  return story;
}

sweep('reports a value that the service drops, and keeps the rest of the change', async () => {
  const story = await openDeaf();
  story.deliver([person('E1')]);
  await story.sync();
  story.takeWrites();
  story.deliver([person('E1', { title: 'Lead', phone: '+47 1' })]);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(ran.json.failed).toMatchObject([{ key: 'E1', code: 'SYNC_WRITE_NOT_TAKEN' }]);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ title: { en: 'Lead' }, telephone: null });
  const last = (await story.audit()).at(-1);
  expect(last).toMatchObject({ result: 'not taken', error: expect.stringContaining('telephone') });
});

sweep('owns a person created without the value, and never creates them twice', async () => {
  const story = await openDeaf();
  story.deliver([person('E1', { phone: '+47 1' })]);
  expect((await story.sync()).code).toBe(4);
  expect(story.takeWrites()).toEqual([CREATE_USER]);
  expect((await story.status()).json.links.users).toBe(1);
  await story.sync();
  expect(story.takeWrites()).not.toContain(CREATE_USER);
  expect(story.users()).toHaveLength(1);
});

test('does not write a dropped value again while both sides stay the same (design promise 4)', async () => {
  const story = await openDeaf();
  story.deliver([person('E1', { phone: '+47 1' })]);
  await story.sync();
  story.takeWrites();
  for (let run = 0; run < 3; run++) await story.sync();
  expect(story.takeWrites()).toEqual([]);
});

sweep('fails an update only for a person who was deleted in the meantime, and recovers in a full read', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
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
