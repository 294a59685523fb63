import { expect, test } from 'vitest';
import type { NamedHold } from '../../src/model/desired.js';
import type { WaitingItem } from '../../src/model/waiting.js';
import { sweep } from '../depth.js';
import { HOUR, person } from './company.js';
import { openStory, type Story } from './kit.js';

interface Listed {
  readonly plan: string | null;
  readonly holds: readonly (NamedHold & { readonly since: string })[];
  readonly waiting: readonly WaitingItem[];
}

async function ask(story: Story, ...words: readonly string[]): Promise<Listed> {
  const { code, stdout } = await story.type(...words, '--json');
  expect(code).toBe(0);
  return JSON.parse(stdout) as Listed;
}

const list = (story: Story): Promise<Listed> => ask(story, 'holds', 'list');
const kinds = ({ waiting }: Listed): readonly string[] =>
  waiting.map(({ kind, of, count }) => `${count} ${kind} ${of}`);
const PEOPLE = ['E1', 'E2', 'E3', 'E10'];

/** Each person gets a tag of a category that the service lacks, and a guard holds the new titles. */
async function openWaiting(): Promise<Story> {
  const story = await openStory();
  story.deliver(PEOPLE.map((id) => person(id)));
  expect((await story.sync()).code).toBe(0);
  story.configure({
    users: { fields: { tags: { cost_centre: 'record.?unit' } } },
    guards: { users: { update: { max: 2 } } },
  });
  story.deliver([
    ...PEOPLE.map((id) => person(id, { unit: 'north', title: 'Lead' })),
    person('E4', { office: 'Atlantis' }),
  ]);
  expect((await story.sync()).code).toBe(4);
  return story;
}

test('shows the same in status and holds list: each cause once, with what resolves it', async () => {
  const story = await openWaiting();
  const listed = await list(story);
  expect(kinds(listed)).toEqual(['4 guard users.update', '1 record users', '4 field users']);
  const [guard, office, tags] = listed.waiting;
  expect(guard?.resolve).toContain('talent-sync approve --guard users.update');
  expect(tags).toMatchObject({
    cause: 'tags.cost_centre: The service has no tag category "cost_centre".',
    code: 'SYNC_REFERENCE_UNKNOWN',
    keys: ['E1', 'E2', 'E3', 'E10'],
  });
  expect(tags?.resolve).toContain('tags.create_missing: true');
  expect(office?.cause).toContain('Atlantis');
  expect(listed.holds.map(({ key, field }) => [key, field]).sort()).toEqual([
    ['E1', 'tags.cost_centre'],
    ['E10', 'tags.cost_centre'],
    ['E2', 'tags.cost_centre'],
    ['E3', 'tags.cost_centre'],
    ['E4', undefined],
  ]);
  expect((await ask(story, 'status')).waiting).toEqual(listed.waiting);
  const text = (await story.type('status')).stdout;
  expect(text).toContain('Waiting: 4 changes for an approval, 1 held record, 4 held fields');
  expect(text).not.toContain('  nothing');
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(98);
});

sweep('removes nothing from the list after a plan of one object, or an undo of one', async () => {
  const story = await openWaiting();
  const before = await list(story);
  await story.plan({ only: 'user:E1' });
  expect(await list(story)).toEqual(before);
  const run = (await story.runs()).json.runs[0]?.id ?? '';
  await story.undo(run, { only: 'user:E4' });
  const after = await list(story);
  expect(after.holds.map(({ id }) => id)).toEqual(before.holds.map(({ id }) => id));
  expect(kinds(after)).toEqual(expect.arrayContaining([...kinds(before)]));
  // The changes that the guard of that run holds can be approved, although a plan of another kind is newer.
  const approved = await story.approve({ guard: 'users.update', reason: 'a new title for all' });
  expect(approved).toMatchObject({ code: 0, json: { approved: 4 } });
  expect(kinds(await list(story))).toEqual(expect.arrayContaining(['4 approved users.update']));
  expect(kinds(await list(story))).not.toContain('4 guard users.update');
});

sweep('keeps ids and ages through the next delivery, and drops what is resolved', async () => {
  const story = await openWaiting();
  const before = await list(story);
  story.clock.advance(50 * HOUR);
  story.deliver([
    person('E0'),
    ...PEOPLE.map((id) => person(id, { unit: 'north', title: 'Lead' })),
    person('E4', { office: 'Atlantis' }),
  ]);
  await story.sync();
  const after = await list(story);
  const named = ({ waiting }: Listed): unknown => waiting.map(({ id, since }) => ({ id, since }));
  expect(named(after)).toEqual(named(before));
  expect((await story.type('status')).stdout).toContain('for 2 days');
  story.configure({ tags: { create_missing: true } });
  await story.plan();
  expect(kinds(await list(story))).toEqual(['4 guard users.update', '1 record users']);
});

sweep('lists an unreadable source, and keeps the holds of its people', async () => {
  const story = await openWaiting();
  const before = await list(story);
  story.configure({ sources: { hr: { drop: './gone' } } });
  const { code, stdout, stderr } = await story.type('sync');
  expect(code).toBe(1);
  // The text is for people, without a log line next to it.
  expect([stdout.match(/SYNC_/g)?.length, stderr]).toEqual([1, '']);
  expect((await story.type('status')).stdout).toMatch(
    /sync +0 changes done, not read: hr\n +r\S+, ended with an error/,
  );
  const after = await list(story);
  expect(kinds(after)).toEqual([kinds(before)[0], '1 source hr', ...kinds(before).slice(1)]);
  expect(after.holds).toEqual(before.holds);
});

sweep('says after a run what it sent, and how much is pending', async () => {
  const story = await openStory();
  story.configure({ guards: { users: { deactivate: { max: 0 } } } });
  story.deliver(PEOPLE.map((id) => person(id)));
  await story.sync();
  story.deliver([person('E1', { title: 'Lead' }), ...PEOPLE.slice(1).map((id) => person(id, { status: 'left' }))]);
  const { stdout } = await story.type('sync');
  expect(stdout).toMatch(/1 change done, 3 wait for an approval\n +~ update +1 user\n +1 write /);
  expect((await story.type('sync')).stdout).toMatch(/0 changes done, 3 wait for an approval\n +0 writes /);
});

sweep('lists a joiner whose day is still to come until then', async () => {
  const story = await openStory();
  story.configure({
    sources: { hr: { columns: { rank: { type: 'date', optional: true } } } },
    users: { joiner: { start: 'record.?rank', lead: '14d' } },
  });
  story.deliver([person('E1', { rank: '2066-12-24' }), person('E2', { rank: '2066-12-20' }), person('E3')]);
  await story.sync();
  const { waiting } = await list(story);
  expect(waiting).toMatchObject([{ kind: 'joiner', of: 'users', count: 2, keys: ['E1', 'E2'], until: '2066-12-06' }]);
  expect((await story.type('status')).stdout).toContain('2 joiners, until 2066-12-06');
});

sweep('sets a cause aside entirely until a date, and a guard until it holds something else', async () => {
  const story = await openWaiting();
  const [guard, tags, office] = (await list(story)).waiting;
  for (const { id = '' } of [guard ?? {}, tags ?? {}, office ?? {}])
    expect((await story.type('holds', 'ack', id, '--reason', 'known to sales', '--until', '5d')).code).toBe(0);
  const text = (await story.type('status')).stdout;
  expect(text).toContain('Acknowledged');
  expect(text).toContain('known to sales');
  expect(text).not.toContain('Waiting: ');
  // Every hold is acknowledged, and the guard too.
  expect((await story.sync({ full: true })).code).toBe(0);
  story.clock.advance(6 * 24 * HOUR);
  expect((await story.sync()).code).toBe(4);
  expect(kinds(await list(story))).toContain('4 guard users.update');
});

sweep('groups several unreadable dates as one cause', async () => {
  const story = await openStory();
  story.configure({ sources: { hr: { columns: { rank: { type: 'date', optional: true } } } } });
  story.deliver([
    person('E1', { rank: 'soon' }),
    person('E2', { rank: 'later' }),
    person('E3', { rank: '31.02.2026' }),
  ]);
  await story.sync();
  const { waiting } = await list(story);
  expect(waiting.filter(({ kind }) => kind === 'record')).toMatchObject([{ count: 3, keys: ['E1', 'E2', 'E3'] }]);
});
