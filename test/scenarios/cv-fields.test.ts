import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { person } from './company.js';
import {
  ADD_TAG,
  cvOf,
  cvPath,
  forgetMirror,
  GET_CV,
  openCvStory,
  PUT_CV,
  READINGS,
  REMOVE_TAG,
  SEARCH,
  takeReads,
} from './cvs.js';
import { CREATE_USER, type Story, UPDATE_USER } from './kit.js';

interface OnCv {
  readonly name_multilang: Readonly<Record<string, string>>;
  readonly place_of_residence: unknown;
}

function fieldsOf(story: Story, who: string): OnCv {
  return story.user(who) as unknown as OnCv;
}

const FIELDS = { place_of_residence: 'record.?phone', name_multilang: { en: 'record.first + " " + record.last' } };

test.each(oneIn(1, READINGS))(
  'sends a joiner in one write to the user and one to the CV (tags on CVs: %s)',
  async (tagsOnCvs) => {
    const story = await openCvStory({ tagsOnCvs });
    story.configure({ users: { fields: FIELDS } });
    story.deliver([person('E1', { phone: 'Oslo' }), person('E2')]);
    const plan = await story.plan();
    expect(plan.json.cost.writes).toBe(4);
    expect(plan.json.cost.by_endpoint).toMatchObject({ 'PUT /api/v3/cvs/{user_id}/{cv_id}': 2 });
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2, calls: { writes: 4 } } });
    expect(story.takeWrites().sort()).toEqual([CREATE_USER, CREATE_USER, PUT_CV, PUT_CV].sort());
    expect(fieldsOf(story, 'E1')).toMatchObject({
      place_of_residence: { en: 'Oslo' },
      name_multilang: { en: 'Person E1' },
    });
    expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
    expect(story.takeWrites()).toEqual([]);
  },
);

sweep('calls only for what differs: the CV, the user, or both', async () => {
  const story = await openCvStory();
  story.configure({ users: { fields: FIELDS } });
  const row = (more: object) => person('E1', { phone: 'Oslo', ...more });
  story.deliver([row({})]);
  await story.sync();
  story.takeWrites();
  story.deliver([row({ phone: 'Bergen' })]);
  await story.sync();
  expect(story.takeWrites()).toEqual([PUT_CV]);
  story.deliver([row({ phone: 'Bergen', title: 'Lead' })]);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  story.deliver([row({ phone: 'Hamar', title: 'Head' })]);
  expect((await story.plan()).json.cost.writes).toBe(2);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER, PUT_CV]);
  expect(fieldsOf(story, 'E1').place_of_residence).toEqual({ en: 'Hamar' });
});

sweep(
  'reports both parts when a person is created but the CV is rejected, and sends the rest in the next run',
  async () => {
    const story = await openCvStory();
    story.configure({ users: { fields: FIELDS } });
    story.deliver([person('E1', { phone: 'Oslo' })]);
    story.sandbox.faults.add({ kind: 'status', status: 422, method: 'PUT', path: '/api/v3/cvs' });
    const { stdout } = await story.type('sync');
    expect(stdout).toContain('0 changes done, 1 failed (1 in part)');
    expect(stdout).toMatch(/SYNC_SERVICE_REFUSED: It was created, but a later call failed: Answered 422/);
    expect(stdout).toMatch(/\n +The next run tries the rest\. Correct the record in its source/);
    expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { update: 1 } }, done: 1 } });
    story.deliver([person('E1', { phone: 'Bergen', title: 'Head' })]);
    story.sandbox.faults.add({ kind: 'status', status: 422, method: 'PUT', path: '/api/v3/cvs' });
    const { json } = await story.sync();
    expect(json.failed).toMatchObject([
      { key: 'E1', in_part: true, message: expect.stringMatching(/^A part of the change was/) },
    ]);
  },
);

sweep('keeps languages of others, and puts a plain place in the language that the CV shows', async () => {
  const place = { country: 'no', office: 'Oslo', roles: ['consultant'] };
  const story = await openCvStory({
    users: [
      {
        ...place,
        email: 'e1@example.com',
        external_unique_id: 'E1',
        name: 'Person E1',
        name_multilang: { no: 'Navn' },
        place_of_residence: 'Oslo',
      },
    ],
  });
  story.configure({ users: { fields: FIELDS } });
  story.deliver([person('E1', { phone: 'Oslo' })]);
  await story.sync();
  expect(story.takeWrites()).toEqual([PUT_CV]);
  expect(fieldsOf(story, 'E1')).toMatchObject({
    name_multilang: { en: 'Person E1', no: 'Navn' },
    place_of_residence: { en: 'Oslo', no: 'Oslo' },
  });
  await story.others('PUT', `${await cvPath(story, 'E1')}?use_legacy_codes=false`, {
    cv: { place_of_residence: { en: 'Elsewhere', no: 'Borte' } },
  });
  await story.sync();
  expect(story.takeWrites()).toEqual([PUT_CV]);
  expect(fieldsOf(story, 'E1').place_of_residence).toEqual({ en: 'Oslo', no: 'Borte' });
});

sweep('finishes a joiner whose second call fails in the next run, without a second person', async () => {
  const story = await openCvStory();
  story.configure({ users: { fields: FIELDS } });
  story.deliver([person('E1', { phone: 'Oslo' })]);
  story.sandbox.faults.add({ kind: 'status', status: 403, method: 'PUT', path: '/api/v3/cvs' });
  expect((await story.sync()).code).toBe(4);
  story.takeWrites();
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([PUT_CV]);
  expect(story.users()).toHaveLength(1);
});

const CV_TAGS = { users: { fields: { cv_tags: { unit: 'has(record.unit) ? [record.unit] : []' } } } };
/** One person works there already, so that the feed has a stamp to continue from. */
const USERS = [{ country: 'no', office: 'Oslo', email: 'e0@example.com', external_unique_id: 'E0', name: 'Person E0' }];

sweep.each(READINGS)('adds and removes tags on the CV one by one (tags on CVs: %s)', async (tagsOnCvs) => {
  const story = await openCvStory({ tagsOnCvs, users: USERS });
  story.configure(CV_TAGS);
  const tagsOf = (who: string) => (tagsOnCvs ? story.user(who).tags : cvOf(story, who).tags);
  story.deliver([person('E1', { unit: 'north' }), person('E2')]);
  expect((await story.plan()).json.cost.writes).toBe(3);
  await story.sync();
  expect(story.takeWrites().sort()).toEqual([CREATE_USER, CREATE_USER, ADD_TAG].sort());
  expect(tagsOf('E1')).toEqual(['unit/north']);

  takeReads(story);
  await story.sync();
  expect(takeReads(story)).toEqual([]);
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
  // The run reads previews once, and then the CV that was written to.
  expect(takeReads(story)).toEqual([SEARCH, GET_CV]);
  await story.sync({ full: true });
  expect(takeReads(story)).toEqual([SEARCH]);

  story.deliver([person('E1', { unit: 'south' }), person('E2')]);
  await story.sync();
  expect(takeReads(story)).toEqual([GET_CV]);
  expect(tagsOf('E1')).toEqual(['unit/south']);
});

sweep('moves a tag of a CV in two writes, and keeps one set by hand in another category', async () => {
  const story = await openCvStory({ tagsOnCvs: false });
  story.configure(CV_TAGS);
  story.deliver([person('E1', { unit: 'north' })]);
  await story.sync();
  story.takeWrites();
  story.deliver([person('E1', { unit: 'south' })]);
  await story.sync();
  expect(story.takeWrites().sort()).toEqual([ADD_TAG, REMOVE_TAG].sort());
  expect(cvOf(story, 'E1').tags).toEqual(['unit/south']);
});

sweep('remembers a tag taken off the CV together with a change of the person, and an undo sets it again', async () => {
  const story = await openCvStory({ tagsOnCvs: false });
  story.configure({ users: { fields: { cv_tags: { unit: { value: 'record.?unit', when_empty: 'clear' } } } } });
  story.deliver([person('E1', { unit: 'north', title: 'Lead' })]);
  await story.sync();
  story.deliver([person('E1', { unit: '', title: 'Head' })]);
  const { run } = (await story.sync()).json;
  expect(cvOf(story, 'E1').tags).toEqual([]);
  story.takeWrites();
  await story.undo(run);
  expect(story.takeWrites()).toEqual([UPDATE_USER, ADD_TAG]);
  expect(cvOf(story, 'E1').tags).toEqual(['unit/north']);
});

sweep(
  'sets a tag again that others took off the CV at the next full read, but not because of a lost mirror',
  async () => {
    const story = await openCvStory({ tagsOnCvs: false });
    story.configure(CV_TAGS);
    story.deliver([person('E1', { unit: 'north' })]);
    await story.sync();
    forgetMirror(story);
    story.takeWrites();
    await story.sync();
    expect(story.takeWrites()).toEqual([]);
    const cv = (await story.others('GET', await cvPath(story, 'E1'))) as { readonly custom_tag_ids: readonly string[] };
    await story.others('DELETE', `${await cvPath(story, 'E1')}/custom_tags/${cv.custom_tag_ids[0]}`);
    await story.sync({ full: true });
    expect(story.takeWrites()).toEqual([ADD_TAG]);
    expect(cvOf(story, 'E1').tags).toEqual(['unit/north']);
  },
);
