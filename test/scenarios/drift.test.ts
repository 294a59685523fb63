import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { HOUR, person } from './company.js';
import { openStory, type Story, summarise, UPDATE_USER } from './kit.js';

/** Creates E1, then E2 a little later, and reads both: the feed then begins after E1. */
async function passBeyond(story: Story): Promise<void> {
  story.deliver([person('E1')]);
  await story.sync();
  story.clock.advance(5_000);
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  await story.sync();
}

test('restores a managed field with one write under drift: correct, and leaves other fields alone', async () => {
  const story = await openStory();
  story.deliver([person('E1', { title: 'Engineer' })]);
  await story.sync();
  await story.editUser('E1', { name: 'By Hand', telephone: '+47 1' });
  story.takeWrites();
  const plan = await story.plan();
  expect(plan.json.counts).toEqual({ users: { update: 1 } });
  const explained = await story.explain('user', 'E1');
  expect(explained.json.steps.action).toMatchObject({ fields: ['name'], reason: { kind: 'drifted' } });
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ name: 'Person E1', telephone: '+47 1', title: { en: 'Engineer' } });
  expect((await story.plan()).json.counts).toEqual({});
});

test('corrects a field that others reset to the same value three times, then freezes it until a side changes', async () => {
  const story = await openStory();
  story.configure({ users: { fields: { telephone: 'record.?phone' } } });
  story.deliver([person('E1', { phone: '+47 1' })]);
  await story.sync();
  const reset = async (telephone: string) => {
    await story.editUser('E1', { telephone });
    story.takeWrites();
    const { code, json } = await story.sync();
    return { code, held: summarise(json.held), writes: story.takeWrites() };
  };
  for (let time = 0; time < 3; time++) expect(await reset('471')).toEqual({ code: 0, held: [], writes: [UPDATE_USER] });
  for (let time = 0; time < 2; time++)
    expect(await reset('471')).toEqual({ code: 4, held: ['E1 SYNC_FIELD_FROZEN'], writes: [] });
  expect(await reset('472')).toEqual({ code: 0, held: [], writes: [UPDATE_USER] });
  expect(story.user('E1').telephone).toBe('+47 1');
  expect((await story.plan()).json.counts).toEqual({});
});

sweep(
  'reports drift and writes nothing under drift: report, but still carries out a change of the source',
  async () => {
    const story = await openStory();
    story.configure({ drift: 'report' });
    story.deliver([person('E1', { title: 'Engineer' })]);
    await story.sync();
    await story.editUser('E1', { name: 'By Hand' });
    story.takeWrites();
    const ran = await story.sync();
    expect(ran.code).toBe(0);
    expect(summarise(ran.json.held)).toEqual(['E1 SYNC_DRIFT_REPORTED']);
    expect(ran.json.held[0]?.reason).toContain('By Hand');
    expect(story.takeWrites()).toEqual([]);
    // The run reports it as long as it lasts, not only once.
    expect(summarise((await story.sync()).json.held)).toEqual(['E1 SYNC_DRIFT_REPORTED']);

    story.deliver([person('E1', { title: 'Lead' })]);
    await story.sync();
    expect(story.takeWrites()).toEqual([UPDATE_USER]);
    expect(story.user('E1')).toMatchObject({ name: 'By Hand', title: { en: 'Lead' } });
  },
);

sweep('finds drift that the feed does not show by a full read', async () => {
  const story = await openStory();
  story.configure({ users: { fields: { roles: '["consultant"]' } } });
  await passBeyond(story);
  await story.editUser('E1', { role: 'consultant', extra_roles: ['bidmanager'] });
  story.takeWrites();
  await story.sync();
  expect(story.takeWrites()).toEqual([]);
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').roles).toEqual(['consultant']);
});

sweep('performs a full read when the schedule makes it due', async () => {
  const story = await openStory();
  await passBeyond(story);
  await story.editUser('E1', { deactivated: true });
  story.takeWrites();
  await story.sync();
  expect(story.takeWrites()).toEqual([]);
  expect(story.user('E1').deactivated).toBe(true);
  story.clock.advance(25 * HOUR);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').deactivated).toBe(false);
});

sweep('does not report its own write as drift under drift: report, however long another field drifts', async () => {
  const story = await openStory();
  story.configure({ drift: 'report', users: { fields: { telephone: 'record.?phone' } } });
  story.deliver([person('E1', { title: 'Engineer', phone: '1' })]);
  await story.sync();
  await story.editUser('E1', { telephone: '2' });
  story.deliver([person('E1', { title: 'Lead', phone: '1' })]);
  expect(summarise((await story.sync()).json.held)).toEqual(['E1 SYNC_DRIFT_REPORTED']);
  story.takeWrites();

  story.deliver([person('E1', { title: 'Engineer', phone: '1' })]);
  const ran = await story.sync();
  expect(ran.json.held.map(({ reason }) => reason)).toEqual([
    'telephone was changed in the service: "2" instead of "1".',
  ]);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ telephone: '2', title: { en: 'Engineer' } });

  // An edit by others of a field that was written meanwhile is drift.
  await story.editUser('E1', { title: { en: 'By Hand' } });
  const told = (await story.sync()).json.held.map(({ reason }) => reason);
  expect(told).toContain('title.en was changed in the service: "By Hand" instead of "Engineer".');
  expect(story.takeWrites()).toEqual([]);
  expect(story.user('E1')).toMatchObject({ telephone: '2', title: { en: 'By Hand' } });
});

sweep('keeps a language that others changed under drift: report when the source changes another language', async () => {
  const story = await openStory();
  story.configure({ drift: 'report', users: { fields: { title: { en: 'record.?title', no: 'record.?title_no' } } } });
  story.deliver([person('E1', { title: 'Engineer', title_no: 'Ingeniør' })]);
  await story.sync();
  await story.editUser('E1', { title: { en: 'Engineer', no: 'For hånd' } });
  story.takeWrites();
  story.deliver([person('E1', { title: 'Lead', title_no: 'Ingeniør' })]);
  const ran = await story.sync();
  expect(ran.json.held.map(({ reason }) => reason)).toEqual([
    'title.no was changed in the service: "For hånd" instead of "Ingeniør".',
  ]);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ title: { en: 'Lead', no: 'For hånd' } });
});

sweep('does not turn a written field into a conflict because another field of the record is held', async () => {
  const story = await openStory();
  story.configure({ conflicts: 'hold', users: { fields: { tags: { unit: 'record.?unit' } } } });
  story.deliver([person('E1', { title: 'Engineer', unit: 'north' })]);
  await story.sync();
  story.deliver([person('E1', { title: 'Lead', unit: 'nowhere' })]);
  expect(summarise((await story.sync()).json.held)).toEqual(['E1 SYNC_REFERENCE_UNKNOWN']);
  story.takeWrites();
  story.deliver([person('E1', { title: 'Head', unit: 'nowhere' })]);
  const ran = await story.sync();
  expect(ran.json.conflicts).toEqual([]);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').title).toEqual({ en: 'Head' });
});

sweep('does not count changes of two languages of one text as a conflict under conflicts: hold', async () => {
  const story = await openStory();
  story.configure({ conflicts: 'hold', users: { fields: { title: { en: 'record.?title', no: 'record.?title_no' } } } });
  story.deliver([person('E1', { title: 'Engineer', title_no: 'Ingeniør' })]);
  await story.sync();
  await story.editUser('E1', { title: { en: 'By Hand', no: 'Ingeniør' } });
  story.takeWrites();
  story.deliver([person('E1', { title: 'Lead', title_no: 'Leder' })]);
  const ran = await story.sync();
  expect(ran.json.conflicts.map(({ reason }) => reason)).toEqual([
    'title.en was changed on both sides: "Engineer" was agreed, the source says "Lead", the service has "By Hand".',
  ]);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').title).toEqual({ en: 'By Hand', no: 'Leder' });
  // Runs and plans report the drift as long as it lasts, even after a full read.
  for (const full of [false, true]) {
    const planned = await story.plan({ full });
    expect([planned.code, planned.json.conflicts.length]).toEqual([3, 1]);
    const again = await story.sync({ full });
    expect([again.code, again.json.conflicts.length, story.takeWrites()]).toEqual([3, 1, []]);
  }
});

test('blames the edited configuration, not other people, for a value that it left alone before', async () => {
  const story = await openStory({
    users: [{ country: 'no', office: 'Oslo', email: 'e1@example.com', external_unique_id: 'E1', telephone: '1' }],
  });
  const telephone = (apply: string) =>
    story.configure({ users: { fields: { telephone: { value: 'record.?phone', apply } } } });
  telephone('empty');
  story.deliver([person('E1', { phone: '2' })]);
  await story.sync();
  expect([await story.sync(), story.user('E1')]).toMatchObject([{ json: { counts: {} } }, { telephone: '1' }]);
  telephone('always');
  const { action } = (await story.explain('user', 'E1')).json.steps;
  expect(action).toMatchObject({ fields: ['telephone'], reason: { kind: 'configured' } });
  await story.sync();
  expect((await story.type('audit', 'list')).stdout).toContain('because the configuration was edited');
});
