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

/** E1 and E2 are of the north, E3 of the south; then somebody else delete the north, which takes it off its people. */
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
  // One list without it proves nothing: a list may come short.
  story.takeWrites();
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
  return story;
}

test('a tag deleted in the service is created and set again, on those alone who had it', async () => {
  const story = await openWithoutNorth(true);
  expect((await story.plan()).json.counts).toEqual({ tags: { create: 1 }, users: { update: 2 } });
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([CREATE_TAG, UPDATE_USER, UPDATE_USER]);
  expect(story.users().map(({ tags }) => tags)).toEqual([['unit/north'], ['unit/north'], ['unit/south']]);
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([]);
});

sweep('where tags are not created, those who had it are held until it is there again', async () => {
  const story = await openWithoutNorth(false);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_REFERENCE_UNKNOWN', 'E2 SYNC_REFERENCE_UNKNOWN']);
  expect(story.takeWrites()).toEqual([]);
});
