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

/** Everybody has a tag that was written, and the account has been asked once whether it shows. */
async function openTagged(account: CvAccount, mapping: typeof TAGS | typeof CLEARING = TAGS): Promise<Story> {
  const story = await openCvStory({ users: USERS, ...account });
  story.configure(mapping);
  story.deliver(ALL);
  await story.sync();
  expect(takeReads(story)).toEqual([]);
  await story.sync();
  expect(takeReads(story)).toEqual([SEARCH]);
  await story.sync();
  expect(takeReads(story)).toEqual([]);
  story.takeWrites();
  return story;
}

/** Takes the tag off, or gives another one, as a person in the service would. */
async function takeOff(story: Story, who: string): Promise<void> {
  const path = await cvPath(story, who);
  const { custom_tag_ids: ids } = (await story.others('GET', path)) as { readonly custom_tag_ids: readonly string[] };
  await story.others('DELETE', `${path}/custom_tags/${ids[0]}`);
}

test('shown on CVs: asked once, then one search per tag at each full read, and drift is corrected', async () => {
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

sweep('shown on CVs: an empty cell takes the tag off, one call each', async () => {
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

sweep('shown on CVs: with the mirror gone, the account is asked again, and nothing is written', async () => {
  const story = await openTagged({ tagsOnCvs: true });
  forgetMirror(story);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
  expect(takeReads(story)).toEqual([SEARCH, SEARCH]);
});

sweep(
  'not shown: drift is not seen, clearing is held with the reason, and explain says that it cannot be verified',
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

sweep('not shown: another tag replaces the last one written, and the plan says what it was compared with', async () => {
  const story = await openTagged({ tagsOnCvs: false });
  story.deliver([...ALL.slice(0, 3), person('E4', { unit: 'south' })]);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E4').tags).toEqual(['unit/south']);
});

sweep.each(READINGS)(
  'a lost state costs one forecast rewrite where they are not shown (shown: %s)',
  async (tagsOnCvs) => {
    const story = await openTagged({ tagsOnCvs });
    story.configure({ state: './other' });
    const plan = await story.plan();
    expect(plan.json.cost.writes).toBe(4);
    await story.sync();
    expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER, UPDATE_USER, UPDATE_USER]);
    expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
  },
);

/** The account comes to show the tags of people, or shows them no longer. */
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

sweep('a wrong "no" lasts until the next full read, which asks once more and then sees drift', async () => {
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
});

sweep(
  'a wrong "yes" ends with the first full read that shows nobody what was written, and nothing is written for it',
  async () => {
    const story = await openTagged({ tagsOnCvs: true });
    await story.sync({ full: true });
    await show(story, false);
    // By hand, on the CV alone.
    const path = await cvPath(story, 'E1');
    const category = await southOf(story);
    await story.others('POST', `${path}/custom_tags`, category);
    story.takeWrites();
    for (const flags of [{ full: true }, {}, { full: true }]) {
      expect(await story.sync(flags)).toMatchObject({ code: 0, json: { counts: {} } });
    }
    expect(story.takeWrites()).toEqual([]);
    expect((await story.explain('user', 'E1')).json.steps.unverifiable).toEqual(['tags']);
  },
);
