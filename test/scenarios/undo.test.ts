import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { openStory, type Story, UPDATE_USER } from './kit.js';
import { expectQuiet } from './quiet.js';

const TAGS = {
  users: {
    fields: {
      tags: { unit: 'record.?unit' },
      title: { en: 'record.?title', no: 'record.?title_no' },
      telephone: 'record.?phone',
    },
  },
};

/** Two people at work, and a run that changes one of them. */
async function openCompany(): Promise<Story> {
  const story = await openStory();
  story.configure(TAGS);
  story.deliver([person('E1', { title: 'Consultant', phone: '1', unit: 'north' }), person('E2')]);
  await story.sync();
  story.takeWrites();
  return story;
}

sweep('undoes an update in one call, keeps it undone, and ends with the next change in the source', async () => {
  const story = await openCompany();
  story.deliver([person('E1', { title: 'Lead', phone: '2', unit: 'south' }), person('E2')]);
  const { run } = (await story.sync()).json;
  story.takeWrites();
  const undone = await story.undo(run, { reason: 'wrong file' });
  expect(undone).toMatchObject({ code: 0, json: { undoes: run, done: 1, held: [], counts: { users: { update: 1 } } } });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ title: { en: 'Consultant' }, telephone: '1', tags: ['unit/north'] });
  expect((await story.audit()).at(-1)).toMatchObject({
    run: undone.json.run,
    action: 'update',
    result: 'done',
    cause: {
      kind: 'undone',
      text: expect.stringMatching(new RegExp(`^undoes change [0-9a-f]{32} of run ${run}: wrong file$`)),
    },
    undoes: { run, derived: false },
  });
  expect(await expectQuiet(story)).toEqual(['E1 SYNC_UNDONE_PINNED']);
  expect((await story.verify()).json.ok).toBe(true);

  story.deliver([person('E1', { title: 'Chief', phone: '2', unit: 'south' }), person('E2')]);
  expect((await story.sync()).json).toMatchObject({ done: 1, failed: [] });
  expect(story.user('E1')).toMatchObject({ title: { en: 'Chief' }, telephone: '1', tags: ['unit/north'] });
  expect(await expectQuiet(story)).toEqual(['E1 SYNC_UNDONE_PINNED']);
});

test('holds a value that others changed since with both values, and restores the rest', async () => {
  const story = await openCompany();
  story.deliver([person('E1', { title: 'Lead', phone: '2', unit: 'north' }), person('E2')]);
  const { run } = (await story.sync()).json;
  await story.editUser('E1', { title: { en: 'Partner' } });
  const undone = await story.undo(run);
  expect(undone).toMatchObject({ code: 4, json: { done: 1, held: [{ code: 'SYNC_UNDO_MOVED', key: 'E1' }] } });
  expect(undone.json.held[0]?.reason).toContain(
    'the run wrote "Lead" ("Consultant" before), and the service has "Partner"',
  );
  expect(story.user('E1')).toMatchObject({ title: { en: 'Partner' }, telephone: '1' });
});

sweep('keeps a language that others wrote', async () => {
  const story = await openCompany();
  story.deliver([person('E1', { title: 'Lead', phone: '1', unit: 'north' }), person('E2')]);
  const { run } = (await story.sync()).json;
  await story.editUser('E1', { title: { en: 'Lead', no: 'Leder' } });
  expect(await story.undo(run)).toMatchObject({ code: 0, json: { done: 1 } });
  expect(story.user('E1').title).toEqual({ en: 'Consultant', no: 'Leder' });
});

test('deactivates a created person, never deletes them, and does not let the source bring them back', async () => {
  const story = await openCompany();
  story.deliver([person('E1', { title: 'Consultant', phone: '1', unit: 'north' }), person('E2'), person('E3')]);
  const { run } = (await story.sync()).json;
  story.takeWrites();
  expect(await story.undo(run)).toMatchObject({ code: 0, json: { counts: { users: { deactivate: 1 } }, done: 1 } });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E3').deactivated).toBe(true);
  expect(await expectQuiet(story)).toEqual(['E3 SYNC_UNDONE_PINNED']);
  // The person leaves and returns: the source has changed its statement since.
  story.deliver([
    person('E1', { title: 'Consultant', phone: '1', unit: 'north' }),
    person('E2'),
    person('E3', { status: 'left' }),
  ]);
  await story.sync();
  // This file differs from the first one.
  const returned = person('E2', { rank: '2' });
  story.deliver([person('E1', { title: 'Consultant', phone: '1', unit: 'north' }), returned, person('E3')]);
  expect((await story.sync()).json.counts).toEqual({ users: { reactivate: 1 } });
  expect(story.user('E3').deactivated).toBe(false);
});

sweep('reactivates a deactivated person without an e-mail, and keeps them until the source changes', async () => {
  const story = await openCompany();
  story.configure({ notify_people: { reactivate: true } });
  const rows = [person('E1', { title: 'Consultant', phone: '1', unit: 'north' })];
  story.deliver([...rows, person('E2', { status: 'left' })]);
  const { run } = (await story.sync()).json;
  expect(story.user('E2').deactivated).toBe(true);
  expect(await story.undo(run)).toMatchObject({ code: 0, json: { counts: { users: { reactivate: 1 } }, done: 1 } });
  expect(story.user('E2').deactivated).toBe(false);
  expect(story.sandbox.state().mails).toEqual([]);
  expect(await expectQuiet(story)).toEqual(['E2 SYNC_UNDONE_PINNED']);
  story.deliver([...rows, person('E2')]);
  await story.sync();
  story.deliver([...rows, person('E2', { status: 'left', rank: '2' })]);
  expect((await story.sync()).json.counts).toEqual({ users: { deactivate: 1 } });
});

sweep('undoes an undo like any other run, which restores the state of the source', async () => {
  const story = await openCompany();
  story.deliver([person('E1', { title: 'Lead', phone: '2', unit: 'south' }), person('E3')]);
  story.configure({ users: { leaver: { after_missing_reads: 1 } } });
  const { run } = (await story.sync()).json;
  expect(story.user('E2').deactivated).toBe(true);
  const first = await story.undo(run);
  expect(first.json).toMatchObject({ done: 3, failed: [] });
  const second = await story.undo(first.json.run);
  expect(second.json).toMatchObject({ done: 3, failed: [], held: [] });
  expect(story.user('E1')).toMatchObject({ title: { en: 'Lead' }, telephone: '2', tags: ['unit/south'] });
  expect([story.user('E2').deactivated, story.user('E3').deactivated]).toEqual([true, false]);
  expect(await expectQuiet(story)).toEqual([]);
});

sweep('repeats the change after --unpin', async () => {
  const story = await openCompany();
  story.deliver([person('E1', { title: 'Lead', phone: '1', unit: 'north' }), person('E2')]);
  const { run } = (await story.sync()).json;
  await story.undo(run);
  expect((await story.undo(undefined, { unpin: 'user:E1' })).json.unpinned).toMatchObject([
    { key: 'E1', path: 'title.en' },
  ]);
  expect((await story.sync()).json.done).toBe(1);
  expect(story.user('E1').title).toEqual({ en: 'Lead' });
  expect(await story.undo(undefined, { unpin: 'user:E1' })).toMatchObject({
    code: 1,
    error: { code: 'SYNC_NOT_FOUND' },
  });
});

sweep('ends an undone value when the mapping is edited', async () => {
  const story = await openCompany();
  story.deliver([person('E1', { title: 'Lead', phone: '1', unit: 'north' }), person('E2')]);
  const { run } = (await story.sync()).json;
  await story.undo(run);
  story.configure({ users: { fields: { title: { en: 'record.?title.orValue("")' } } } });
  expect((await story.sync()).json.done).toBe(1);
  expect(story.user('E1').title).toEqual({ en: 'Lead' });
});

sweep('undoes one object with --only, and rejects an unknown run or object', async () => {
  const story = await openCompany();
  story.deliver([person('E1', { title: 'Lead', phone: '1', unit: 'north' }), person('E2', { title: 'Lead' })]);
  const { run } = (await story.sync()).json;
  expect((await story.undo(run, { only: 'user:e2@example.com' })).json).toMatchObject({ done: 1 });
  expect([story.user('E1').title, story.user('E2').title]).toEqual([{ en: 'Lead' }, { en: '' }]);
  expect(await story.undo(run, { only: 'user:E9' })).toMatchObject({ code: 1, error: { code: 'SYNC_NOT_FOUND' } });
  expect(await story.undo('r1')).toMatchObject({ code: 1, error: { code: 'SYNC_NOT_FOUND', place: 'undo' } });
});

sweep('has nothing left to do in a second undo of the same run', async () => {
  const story = await openCompany();
  story.deliver([person('E1', { title: 'Lead', phone: '2', unit: 'south' }), person('E2'), person('E3')]);
  const { run } = (await story.sync()).json;
  await story.undo(run);
  story.takeWrites();
  expect(await story.undo(run)).toMatchObject({ code: 0, json: { done: 0, counts: {}, held: [] } });
  expect(story.takeWrites()).toEqual([]);
});
