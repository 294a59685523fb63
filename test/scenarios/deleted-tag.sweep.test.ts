import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { openStory, type Story, summarise, UPDATE_USER } from './kit.js';

const TAGS = '/api/v1/masterdata/custom_tags';
const CREATE_TAG = `POST ${TAGS}/custom_tag`;

interface Category {
  readonly id: string;
  readonly custom_tags: readonly { readonly id: string; readonly external_unique_id: string }[];
}

/** E1 and E2 are in the north, E3 in the south. Then a colleague deletes the north, which takes it off its people. */
async function openWithoutNorth(createMissing: boolean): Promise<Story> {
  const story = await openStory();
  story.configure({ tags: { create_missing: createMissing }, users: { fields: { tags: { unit: 'record.?unit' } } } });
  story.deliver([person('E1', { unit: 'north' }), person('E2', { unit: 'north' }), person('E3', { unit: 'south' })]);
  await story.sync();
  const categories = (await story.others('GET', `${TAGS}/custom_tag_category`)) as readonly Category[];
  const [unit] = categories;
  const north = unit?.custom_tags.find((tag) => tag.external_unique_id === 'north');
  await story.others('DELETE', `${TAGS}/custom_tag/${north?.id}?category_ids=${unit?.id}`);
  expect(story.user('E1').tags).toEqual([]);
  // One list without the tag proves nothing: a list may come short.
  story.takeWrites();
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
  return story;
}

test('creates a tag deleted in the service again, and sets it only on those who had it', async () => {
  const story = await openWithoutNorth(true);
  expect((await story.plan()).json.counts).toEqual({ tags: { create: 1 }, users: { update: 2 } });
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([CREATE_TAG, UPDATE_USER, UPDATE_USER]);
  expect(story.users().map(({ tags }) => tags)).toEqual([['unit/north'], ['unit/north'], ['unit/south']]);
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([]);
});

sweep('holds those who had the tag until it exists again, if tags are not created', async () => {
  const story = await openWithoutNorth(false);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_REFERENCE_UNKNOWN', 'E2 SYNC_REFERENCE_UNKNOWN']);
  expect(story.takeWrites()).toEqual([]);
});
