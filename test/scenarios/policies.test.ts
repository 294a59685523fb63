import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { CREATE_USER, openStory, type Story, UPDATE_USER } from './kit.js';

/** E1 and E2 exist. Then E1 gets a new title, E2 is missing, E3 has left, and E4 joins. */
async function openChange(policy: string): Promise<Story> {
  const story = await openStory();
  story.deliver([person('E1'), person('E2'), person('E3')]);
  await story.sync();
  story.takeWrites();
  story.configure({ policy });
  story.deliver([person('E1', { title: 'Lead' }), person('E3', { status: 'left' }), person('E4')]);
  await story.sync();
  return story;
}

sweep('creates, updates and deactivates under sync', async () => {
  const story = await openChange('sync');
  expect(story.takeWrites().sort()).toEqual([CREATE_USER, UPDATE_USER, UPDATE_USER, UPDATE_USER]);
  expect(story.user('E1').title).toEqual({ en: 'Lead' });
  expect(story.user('E2').deactivated).toBe(true);
  expect(story.user('E3').deactivated).toBe(true);
});

test('creates and updates under upsert-only, and deactivates nobody', async () => {
  const story = await openChange('upsert-only');
  expect(story.takeWrites().sort()).toEqual([CREATE_USER, UPDATE_USER]);
  expect(story.user('E1').title).toEqual({ en: 'Lead' });
  expect(story.users().filter(({ deactivated }) => deactivated)).toEqual([]);
});

sweep('creates under create-only, and leaves existing people unchanged', async () => {
  const story = await openChange('create-only');
  expect(story.takeWrites()).toEqual([CREATE_USER]);
  expect(story.user('E1').title).toEqual({});
  expect(story.users().filter(({ deactivated }) => deactivated)).toEqual([]);
});

sweep('requires a policy, since no default exists', async () => {
  const story = await openStory();
  story.configure({ policy: '' });
  const ran = await story.plan();
  expect(ran.code).toBe(1);
  expect(ran.error).toMatchObject({ code: 'SYNC_CONFIG_INVALID' });
});
