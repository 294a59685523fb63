import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { CREATE_USER, openStory, type Story, summarise, UPDATE_USER } from './kit.js';
import { CATEGORIES, deliverOrg, ORG, TAGS } from './org.js';

const CATEGORY = '/api/v1/masterdata/custom_tags/custom_tag_category';
const TAG = '/api/v1/masterdata/custom_tags/custom_tag';
const CREATE_CATEGORY = `POST ${CATEGORY}`;
const UPDATE_CATEGORY = `PUT ${CATEGORY}/:category_id`;
const CREATE_TAG = `POST ${TAG}`;
const UPDATE_TAG = `PUT ${TAG}/:tag_id`;
const DELETE_TAGS = `DELETE ${CATEGORY}/:category_id/bulk_delete`;

interface CategoryState {
  readonly external_unique_id: string | null;
  readonly values: object;
  readonly custom_tags: readonly { readonly external_unique_id: string | null; readonly values: object }[];
}

function categories(story: Story): readonly CategoryState[] {
  return story.sandbox.state().tag_categories as unknown as readonly CategoryState[];
}

const UNIT = { id: 'unit', name: 'Unit' };
const NORTH = { id: 'north', category: 'unit', name: 'North' };
const SOUTH = { id: 'south', category: 'unit', name: 'South' };

async function openTagged(createMissing = false): Promise<Story> {
  const story = await openStory();
  story.configure({
    ...ORG,
    tag_categories: CATEGORIES,
    tags: { ...(TAGS as object), create_missing: createMissing },
    users: { fields: { tags: { unit: 'record.?unit', grade: 'record.?rank' } } },
  });
  deliverOrg(story, 'categories', [UNIT]);
  deliverOrg(story, 'tags', [NORTH, SOUTH]);
  story.deliver([person('E1', { unit: 'north' })]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([CREATE_USER]);
  return story;
}

async function expectSettled(story: Story): Promise<void> {
  story.takeWrites();
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
  expect(story.takeWrites()).toEqual([]);
}

test('creates a category, a tag in it and assigns it to a person with one write each, in that order', async () => {
  const story = await openTagged();
  deliverOrg(story, 'categories', [UNIT, { id: 'grade', name: 'Grade', navn: 'Nivå', cvs: true }]);
  deliverOrg(story, 'tags', [NORTH, SOUTH, { id: 'g1', category: 'grade', name: 'Senior' }]);
  story.deliver([person('E1', { unit: 'north', rank: 'g1' })]);
  expect((await story.plan()).json.counts).toEqual({
    tag_categories: { create: 1 },
    tags: { create: 1 },
    users: { update: 1 },
  });
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([CREATE_CATEGORY, CREATE_TAG, UPDATE_USER]);
  expect(categories(story).find(({ external_unique_id }) => external_unique_id === 'grade')).toMatchObject({
    values: { en: 'Grade', no: 'Nivå' },
    custom_tags: [{ external_unique_id: 'g1', values: { en: 'Senior' } }],
  });
  await expectSettled(story);
});

sweep('creates a category with the flags of the source, even those that are off, in one write', async () => {
  const story = await openTagged();
  deliverOrg(story, 'categories', [UNIT, { id: 'grade', name: 'Grade', cvs: false }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([CREATE_CATEGORY]);
  expect(categories(story).find(({ external_unique_id: id }) => id === 'grade')).toMatchObject({
    can_be_used_for_cvs: false,
  });
  await expectSettled(story);
});

sweep('changes a name in one write, and keeps languages of others', async () => {
  const story = await openTagged();
  deliverOrg(story, 'categories', [{ ...UNIT, name: 'Business unit' }]);
  deliverOrg(story, 'tags', [
    { ...NORTH, navn: 'Nord' },
    { ...SOUTH, name: 'The South' },
  ]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites().sort()).toEqual([UPDATE_CATEGORY, UPDATE_TAG, UPDATE_TAG].sort());
  deliverOrg(story, 'tags', [
    { ...NORTH, name: 'Far North' },
    { ...SOUTH, name: 'The South' },
  ]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_TAG]);
  expect(categories(story)[0]?.custom_tags).toMatchObject([
    { values: { en: 'Far North', no: 'Nord' } },
    { values: { en: 'The South' } },
  ]);
  await expectSettled(story);
});

sweep(
  'finds hand-made categories and tags by label, adds an external id, and tags people in the same run',
  async () => {
    const story = await openStory({
      tag_categories: [{ values: { en: 'Grade', no: 'Nivå' }, custom_tags: [{ values: { en: 'Senior' } }] }],
    });
    story.configure({
      ...ORG,
      tag_categories: CATEGORIES,
      tags: { ...(TAGS as object), create_missing: true },
      users: { fields: { tags: { grade: 'record.?rank' } } },
    });
    deliverOrg(story, 'categories', [{ id: 'grade', name: 'grade' }]);
    deliverOrg(story, 'tags', [
      { id: 'g1', category: 'grade', name: 'Senior' },
      { id: 'g2', category: 'grade', name: 'Junior' },
    ]);
    story.deliver([person('E1', { rank: 'g1' }), person('E2', { rank: 'g2' }), person('E3', { rank: 'g3' })]);
    expect((await story.sync()).code).toBe(0);
    expect(story.takeWrites().sort()).toEqual(
      [UPDATE_CATEGORY, UPDATE_TAG, CREATE_TAG, CREATE_TAG, CREATE_USER, CREATE_USER, CREATE_USER].sort(),
    );
    expect(categories(story)).toMatchObject([
      { external_unique_id: 'grade', values: { en: 'grade', no: 'Nivå' }, custom_tags: [{}, {}, {}] },
    ]);
    expect(story.user('E1').tags).toEqual(['grade/g1']);
    await expectSettled(story);
  },
);

sweep('holds a label that fits a tag with another external id as doubtful, instead of taking it over', async () => {
  const story = await openTagged();
  deliverOrg(story, 'tags', [NORTH, SOUTH, { id: 'north2', category: 'unit', name: 'North' }]);
  // North is linked to its own record, so the label cannot refer to it.
  expect(summarise((await story.sync()).json.held)).toEqual(['north2 SYNC_MATCH_CLAIMED']);
  const other = await openStory();
  other.configure({ ...ORG, tags: TAGS });
  deliverOrg(other, 'tags', [{ id: 'north2', category: 'unit', name: 'North' }]);
  other.deliver([person('E1')]);
  expect(summarise((await other.sync()).json.held)).toEqual(['north2 SYNC_MATCH_DOUBTFUL']);
  expect(other.takeWrites()).toEqual([CREATE_USER]);
});

sweep('deletes tags of one category in one call, after the records that give them up', async () => {
  const story = await openTagged();
  deliverOrg(story, 'tags', [
    { ...NORTH, gone: 'yes' },
    { ...SOUTH, gone: 'yes' },
    { id: 'west', category: 'unit', name: 'West' },
  ]);
  expect(summarise((await story.plan()).json.held)).toEqual(['north SYNC_CHANGE_BLOCKED']);
  story.deliver([person('E1', { unit: 'west' })]);
  story.configure({ guards: { tags: { delete: 'off' } } });
  const plan = await story.plan();
  expect(plan.json).toMatchObject({
    counts: { tags: { create: 1, delete: 2 }, users: { update: 1 } },
    cost: { writes: 3 },
    held: [],
  });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 4 } });
  expect(story.takeWrites()).toEqual([CREATE_TAG, UPDATE_USER, DELETE_TAGS]);
  expect(categories(story)[0]?.custom_tags).toMatchObject([{ external_unique_id: 'west' }]);
  deliverOrg(story, 'tags', [{ id: 'west', category: 'unit', name: 'West' }]);
  await expectSettled(story);
});

sweep('deletes a tag that the feed no longer lists in one call, but not under upsert-only', async () => {
  const story = await openTagged();
  deliverOrg(story, 'tags', [NORTH]);
  story.configure({ policy: 'upsert-only' });
  await story.sync();
  expect(story.takeWrites()).toEqual([]);
  story.configure({ policy: 'sync', guards: { tags: { delete: 'off' } } });
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([DELETE_TAGS]);
  await expectSettled(story);
});

sweep('holds more tag deletions than the guard allows until they are approved', async () => {
  const story = await openTagged();
  story.deliver([person('E1')]);
  story.configure({ guards: { tags: { delete: { max: 1 } } } });
  deliverOrg(story, 'tags', [
    { ...NORTH, gone: 'yes' },
    { ...SOUTH, gone: 'yes' },
  ]);
  expect((await story.sync()).json.guards).toMatchObject([{ guard: 'tags.delete', found: 2 }]);
  expect(story.takeWrites()).toEqual([]);
  await story.approve({ guard: 'tags.delete', reason: 'reorganised' });
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([DELETE_TAGS]);
});

sweep.each([
  ['before', 'reset_before', 2],
  ['after', 'reset_after', 1],
] as const)(
  'deletes once when the answer to a bulk delete is lost %s it happened, because the list shows the result',
  async (_, kind, sent) => {
    const story = await openTagged();
    story.deliver([person('E1')]);
    story.configure({ guards: { tags: { delete: 'off' } }, service: { timeout: '250ms' } });
    deliverOrg(story, 'tags', [
      { ...NORTH, gone: 'yes' },
      { ...SOUTH, gone: 'yes' },
    ]);
    story.sandbox.faults.add({ kind, method: 'DELETE', path: '^/api/v1/masterdata/.*/bulk_delete' });
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2, failed: [] } });
    expect(story.sandbox.faults.list()).toEqual([]);
    expect(story.takeWrites()).toEqual(Array.from({ length: sent }, () => DELETE_TAGS));
    expect(categories(story)[0]?.custom_tags).toEqual([]);
    await expectSettled(story);
  },
);

sweep('treats categories and tags of the feeds and those that records name as the same', async () => {
  const story = await openTagged(true);
  deliverOrg(story, 'categories', [UNIT, { id: 'grade', name: 'Grade' }]);
  deliverOrg(story, 'tags', [NORTH, SOUTH, { id: 'g1', category: 'grade', name: 'Senior' }]);
  story.deliver([person('E1', { unit: 'north', rank: 'g1' }), person('E2', { unit: 'west', rank: 'g2' })]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites().sort()).toEqual(
    [CREATE_CATEGORY, CREATE_TAG, CREATE_TAG, CREATE_TAG, UPDATE_USER, CREATE_USER].sort(),
  );
  // A tag created for a record gets its label once the feed delivers it.
  deliverOrg(story, 'tags', [
    NORTH,
    SOUTH,
    { id: 'g1', category: 'grade', name: 'Senior' },
    { id: 'west', category: 'unit', name: 'The West' },
  ]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_TAG]);
  await expectSettled(story);
});

sweep('holds a tag that the feed gives to another category', async () => {
  const story = await openTagged();
  deliverOrg(story, 'categories', [UNIT, { id: 'grade', name: 'Grade' }]);
  deliverOrg(story, 'tags', [{ ...NORTH, category: 'grade' }, SOUTH]);
  await story.sync();
  expect(story.takeWrites()).toEqual([CREATE_CATEGORY]);
  expect(summarise((await story.sync()).json.held)).toEqual(['north SYNC_CHANGE_BLOCKED']);
});

sweep('holds a tag whose category nobody delivers, and creates it with the category', async () => {
  const story = await openTagged();
  deliverOrg(story, 'tags', [NORTH, SOUTH, { id: 'g1', category: 'grade', name: 'Senior' }]);
  expect(summarise((await story.sync()).json.held)).toEqual(['g1 SYNC_REFERENCE_UNKNOWN']);
  deliverOrg(story, 'categories', [UNIT, { id: 'grade', name: 'Grade' }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([CREATE_CATEGORY, CREATE_TAG]);
});

sweep('finds tags by category and external id in explain and --only', async () => {
  const story = await openTagged(true);
  expect((await story.explain('tag', 'unit/north')).json).toMatchObject({
    entity: 'tags',
    key: 'north',
    steps: { correlation: { origin: 'adopted' } },
  });
  expect((await story.explain('tag category', 'unit')).json).toMatchObject({ entity: 'tag_categories', key: 'unit' });
  story.deliver([person('E1', { unit: 'West' })]);
  expect((await story.explain('tag', 'unit/west')).json).toMatchObject({
    key: 'unit/West',
    steps: { action: { action: 'create' } },
  });
  deliverOrg(story, 'tags', [{ ...NORTH, name: 'Far North' }, SOUTH]);
  expect((await story.plan({ only: 'tag:unit/north' })).json.counts).toEqual({ tags: { update: 1 } });
});
