import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { type CvAccount, cvPath, forgetMirror, openCvStory, READINGS, REMOVE_TAG, SEARCH, takeReads } from './cvs.js';
import { type Story, summarise, UPDATE_USER } from './kit.js';

const USERS = ['E1', 'E2', 'E3', 'E4'].map((id) => ({
  country: 'no',
  office: 'Oslo',
  email: `${id.toLowerCase()}@example.com`,
  external_unique_id: id,
  name: `Person ${id}`,
}));
const TAGS = { users: { fields: { tags: { unit: 'record.?unit' } } } };
const CLEARING = { users: { fields: { tags: { unit: { value: 'record.?unit', when_empty: 'clear' } } } } };
const north = (id: string) => person(id, { unit: 'north' });
const ALL = USERS.map(({ external_unique_id: id }) => north(id));

/** Each person has a tag that was written, and the account has been asked once whether it is visible. */
async function openTagged(account: CvAccount, mapping: typeof TAGS | typeof CLEARING = TAGS): Promise<Story> {
  const story = await openCvStory({ users: USERS, ...account });
  story.configure(mapping);
  story.deliver(ALL);
  // At first contact, the account may have the tags already.
  for (let times = 0; times < 2; times += 1) {
    await story.sync();
    expect(takeReads(story)).toEqual([SEARCH]);
  }
  await story.sync();
  expect(takeReads(story)).toEqual([]);
  story.takeWrites();
  return story;
}

/** Takes the tag off, or sets another one, like a person in the service. */
async function takeOff(story: Story, who: string): Promise<void> {
  const path = await cvPath(story, who);
  const { custom_tag_ids: ids } = (await story.others('GET', path)) as { readonly custom_tag_ids: readonly string[] };
  await story.others('DELETE', `${path}/custom_tags/${ids[0]}`);
}

test('asks once about tags shown on CVs, then searches once per tag in a full read, and corrects drift', async () => {
  const story = await openTagged({ tagsOnCvs: true, afterId: 'keyset' });
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
  expect(takeReads(story)).toEqual([SEARCH, SEARCH]);
  await takeOff(story, 'E2');
  expect(story.user('E2').tags).toEqual([]);
  story.takeWrites();
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E2').tags).toEqual(['unit/north']);
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
});

test('writes no tag at first contact that CVs show already', async () => {
  const story = await openTagged({ tagsOnCvs: true });
  rmSync(join(story.folder, 'var'), { recursive: true });
  story.deliver([...ALL.slice(0, 3), person('E4', { unit: 'south' })]);
  const first = await story.sync();
  expect(first).toMatchObject({ code: 0, json: { counts: { users: { update: 1 } } } });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E4').tags).toEqual(['unit/south']);
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
});

sweep('removes a tag shown on CVs for an empty cell, with one call each', async () => {
  const story = await openTagged({ tagsOnCvs: true }, CLEARING);
  story.deliver([...ALL.slice(0, 3), person('E4', { title: 'Lead' })]);
  const plan = await story.plan();
  expect(plan.json.cost.by_endpoint).toMatchObject({
    'DELETE /api/v3/cvs/{user_id}/{cv_id}/custom_tags/{custom_tag_id}': 1,
  });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
  expect(story.takeWrites()).toEqual([UPDATE_USER, REMOVE_TAG]);
  expect(story.user('E4').tags).toEqual([]);
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
  expect(story.takeWrites()).toEqual([]);
  story.deliver(ALL);
  await story.sync();
  expect(story.user('E4').tags).toEqual(['unit/north']);
});

sweep('asks the account again about tags shown on CVs when the mirror is gone, and writes nothing', async () => {
  const story = await openTagged({ tagsOnCvs: true });
  forgetMirror(story);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
  expect(takeReads(story)).toEqual([SEARCH, SEARCH]);
});

sweep(
  'sees no drift of hidden tags, holds clearing with the reason, and explains that it cannot verify them',
  async () => {
    const story = await openTagged({ tagsOnCvs: false }, CLEARING);
    expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
    expect(takeReads(story)).toEqual([SEARCH]);
    story.deliver([...ALL.slice(0, 3), person('E4')]);
    const ran = await story.sync();
    expect(ran.code).toBe(4);
    expect(summarise(ran.json.held)).toEqual(['E4 SYNC_CHANGE_BLOCKED']);
    expect(ran.json.held[0]?.reason).toContain('"north" was written last and cannot be cleared');
    expect(story.takeWrites()).toEqual([]);
    expect((await story.explain('user', 'E1')).json.steps.unverifiable).toEqual(['tags']);
  },
);

sweep('replaces the hidden tag written last by another one', async () => {
  const story = await openTagged({ tagsOnCvs: false });
  story.deliver([...ALL.slice(0, 3), person('E4', { unit: 'south' })]);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E4').tags).toEqual(['unit/south']);
});

sweep.each(READINGS)(
  'forecasts one rewrite after a lost state, unless tags are shown (shown: %s)',
  async (tagsOnCvs) => {
    const story = await openTagged({ tagsOnCvs });
    story.configure({ state: './other' });
    const plan = await story.plan();
    const writes = tagsOnCvs === true ? [] : [UPDATE_USER, UPDATE_USER, UPDATE_USER, UPDATE_USER];
    expect(plan.json.cost.writes).toBe(writes.length);
    await story.sync();
    expect(story.takeWrites()).toEqual(writes);
    expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
  },
);

/** Lets the account show people's tags from now on, or hide them. */
async function show({ sandbox }: Story, shown: boolean): Promise<void> {
  const answer = await fetch(`${sandbox.url}/__sandbox/settings`, {
    method: 'POST',
    headers: { 'x-control-key': sandbox.controlKey, 'content-type': 'application/json' },
    body: JSON.stringify({ user_tags_on_cvs: shown }),
  });
  expect(answer.ok).toBe(true);
}

/** The tag "south", as the body of a call that attaches it. */
async function southOf(story: Story): Promise<object> {
  const categories = (await story.others('GET', '/api/v1/masterdata/custom_tags/custom_tag_category')) as readonly {
    readonly id: string;
    readonly custom_tags: readonly { readonly id: string; readonly external_unique_id: string }[];
  }[];
  const [found] = categories.flatMap(({ id, custom_tags: tags }) =>
    tags.flatMap((tag) =>
      tag.external_unique_id === 'south' ? [{ custom_tag_category_id: id, custom_tag_id: tag.id }] : [],
    ),
  );
  if (found === undefined) throw new Error('there is no tag "south"');
  return found;
}

sweep(
  'corrects a wrong "no" about visible tags at the next full read, which asks again and then sees drift',
  async () => {
    const story = await openTagged({ tagsOnCvs: false });
    await show(story, true);
    expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
    expect(takeReads(story)).toEqual([]);
    expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
    expect(takeReads(story)).toEqual([SEARCH, SEARCH]);
    await takeOff(story, 'E2');
    story.takeWrites();
    await story.sync({ full: true });
    expect(story.takeWrites()).toEqual([UPDATE_USER]);
  },
);

sweep('corrects a wrong "yes" at the first full read that shows none of the written tags', async () => {
  const story = await openTagged({ tagsOnCvs: true });
  await story.sync({ full: true });
  await show(story, false);
  // By hand, on the CV only.
  const path = await cvPath(story, 'E1');
  const category = await southOf(story);
  await story.others('POST', `${path}/custom_tags`, category);
  story.takeWrites();
  for (const flags of [{ full: true }, {}, { full: true }]) {
    expect(await story.sync(flags)).toMatchObject({ code: 0, json: { counts: {} } });
  }
  expect(story.takeWrites()).toEqual([]);
  expect((await story.explain('user', 'E1')).json.steps.unverifiable).toEqual(['tags']);
});
