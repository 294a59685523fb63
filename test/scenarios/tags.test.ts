import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person, type Yaml } from './company.js';
import { CREATE_USER, openStory, type Story, summarise, UPDATE_USER } from './kit.js';

const CREATE_CATEGORY = 'POST /api/v1/masterdata/custom_tags/custom_tag_category';
const CREATE_TAG = 'POST /api/v1/masterdata/custom_tags/custom_tag';

async function openTagged(tags: Yaml, createMissing: boolean): Promise<Story> {
  const story = await openStory();
  story.configure({ tags: { create_missing: createMissing }, users: { fields: { tags } } });
  return story;
}

sweep('changes a tag within its category in one write, and keeps tags of other categories', async () => {
  const story = await openTagged({ unit: 'record.?unit' }, false);
  story.deliver([person('E1', { unit: 'north' })]);
  await story.sync();
  expect(story.takeWrites()).toEqual([CREATE_USER]);
  story.deliver([person('E1', { unit: 'south' })]);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').tags).toEqual(['unit/south']);
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([]);
});

test('creates a category and its tags once with create_missing, before the people who need them', async () => {
  const story = await openTagged({ unit: 'record.?unit', grade: 'record.?rank' }, true);
  story.deliver([
    person('E1', { unit: 'west', rank: 'g1' }),
    person('E2', { unit: 'west', rank: 'g2' }),
    person('E3', { unit: 'north', rank: 'g1' }),
  ]);
  const plan = await story.plan();
  expect(plan.json.counts).toEqual({ tag_categories: { create: 1 }, tags: { create: 3 }, users: { create: 3 } });
  expect(plan.json.cost.writes).toBe(7);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([
    CREATE_CATEGORY,
    CREATE_TAG,
    CREATE_TAG,
    CREATE_TAG,
    CREATE_USER,
    CREATE_USER,
    CREATE_USER,
  ]);
  expect(story.user('E1').tags).toEqual(['grade/g1', 'unit/west']);
  expect(story.user('E3').tags).toEqual(['grade/g1', 'unit/north']);
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([]);
});

sweep('holds an unknown tag with the nearest name without create_missing, and sets it once it exists', async () => {
  const story = await openTagged({ unit: 'record.?unit' }, false);
  story.deliver([person('E1', { unit: 'souht' }), person('E2', { unit: 'west' })]);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_REFERENCE_UNKNOWN', 'E2 SYNC_REFERENCE_UNKNOWN']);
  expect(ran.json.held.find(({ key }) => key === 'E1')?.reason).toContain('"south"');
  expect(story.takeWrites()).toEqual([CREATE_USER, CREATE_USER]);

  const categories = (await story.others('GET', '/api/v1/masterdata/custom_tags/custom_tag_category')) as readonly {
    readonly id: string;
  }[];
  await story.others('POST', '/api/v1/masterdata/custom_tags/custom_tag', {
    masterdata: { values: { en: 'West' }, external_unique_id: 'west', category_ids: [categories[0]?.id] },
  });
  story.takeWrites();
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E2').tags).toEqual(['unit/west']);
});
