import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { person, type Row, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

const DAY_MS = 86_400_000;
const TEXTS: Yaml = { en: 'record.?title', no: 'record.?title_no' };

interface Declining {
  readonly start: readonly (readonly Row[])[];
  /** The delivery that asks for the change. */
  readonly asked: readonly Row[];
  readonly choice: readonly string[];
  readonly isDone: (story: Story) => boolean;
  /** A delivery that asks for another change. */
  readonly other: readonly Row[];
  /** An edit of the configuration that the change rests on. */
  readonly edit: { readonly [key: string]: Yaml };
}

const [ONE, TWO] = [person('E1', { title: 'Consultant', title_no: 'Konsulent', unit: 'north' }), person('E2')];
/** A delivery must differ from one that another has replaced. */
const OTHER = { ...TWO, title: 'Other' };
const LEFT = { ...ONE, status: 'left' };
const PROMOTED = { ...ONE, title: 'Lead', title_no: 'Leder' };
const LEAVER: Yaml = { when: 'record.?status.orValue("") in ["left", "gone"]', after_missing_reads: 1 };
const isActive = (story: Story) => !story.user('E1').deactivated;

const CASES: Readonly<Record<string, Declining>> = {
  'a deactivation': {
    ...{ start: [[ONE, TWO]], asked: [LEFT, TWO], choice: ['--who', 'user:E1'], other: [ONE, OTHER] },
    isDone: (story) => !isActive(story),
    edit: { users: { leaver: LEAVER } },
  },
  'a create': {
    ...{ start: [[ONE]], asked: [ONE, TWO], choice: ['--action', 'users.create'], other: [ONE] },
    isDone: (story) => story.users().some(({ external_unique_id: id }) => id === 'E2'),
    edit: { users: { leaver: LEAVER } },
  },
  'a reactivation': {
    ...{
      start: [
        [ONE, TWO],
        [LEFT, TWO],
      ],
      asked: [ONE, OTHER],
      choice: ['--action', 'reactivate'],
      other: [{ ...LEFT, title: 'Boss' }, TWO],
    },
    isDone: isActive,
    edit: { users: { leaver: LEAVER } },
  },
  'one language of a field': {
    ...{ start: [[ONE, TWO]], asked: [PROMOTED, TWO], choice: ['--who', 'user:E1', '--field', 'title.en'] },
    other: [{ ...PROMOTED, title: 'Boss' }, TWO],
    isDone: (story) => story.user('E1').title.en === 'Lead',
    edit: { users: { fields: { title: { en: 'record.?title.optMap(t, t)', no: 'record.?title_no' } } } },
  },
  'a tag': {
    ...{
      start: [[ONE, TWO]],
      asked: [{ ...ONE, unit: 'south' }, TWO],
      choice: ['--who', 'user:E1', '--field', 'tags'],
    },
    other: [{ ...ONE, title: 'Boss' }, TWO],
    isDone: (story) => story.user('E1').tags.includes('unit/south'),
    edit: { users: { fields: { tags: { unit: 'record.?unit.optMap(t, t)' } } } },
  },
};

async function openAsked({ start, asked }: Declining): Promise<Story> {
  const story = await openStory();
  story.configure({ users: { fields: { title: TEXTS, tags: { unit: 'record.?unit' } } } });
  for (const rows of start) {
    story.deliver(rows);
    expect((await story.sync()).code).toBe(0);
  }
  story.deliver(asked);
  expect((await story.plan()).json.counts).not.toEqual({});
  return story;
}

async function decline(story: Story, ...words: readonly string[]): Promise<string> {
  const declined = await story.type('decline', ...words, '--reason', 'stays, ticket 4711');
  expect([declined.code, declined.stderr]).toEqual([0, '']);
  return declined.stdout;
}

async function listDeclined(story: Story): Promise<readonly { readonly id: string; readonly until: string | null }[]> {
  return JSON.parse((await story.type('decline', '--list', '--json')).stdout).declines;
}

const endsIn = async (story: Story) => (await story.type('audit', 'list')).stdout.match(/decline ended .*/g);

test.each(oneIn(2, Object.keys(CASES)))(
  'does not carry out %s that was declined, until its date comes',
  async (name) => {
    const one = CASES[name] as Declining;
    const story = await openAsked(one);
    const until = new Date(story.clock.now() + 2 * DAY_MS).toISOString();
    await decline(story, ...one.choice, '--until', until);
    for (const run of [() => story.plan(), () => story.sync(), () => story.sync({ full: true })]) {
      const ran = await run();
      expect([ran.code, ran.json.held, ran.error]).toEqual([0, [], undefined]);
      expect(ran.json.declined).toMatchObject([{ until, reason: 'stays, ticket 4711' }]);
      expect(one.isDone(story)).toBe(false);
    }
    const { json } = await story.exportReport('run', undefined, { format: 'csv' });
    const rows = readFileSync(json.file, 'utf8')
      .split(/\r?\n/)
      .filter((line) => line.includes('declined'));
    expect(rows).not.toEqual([]);
    expect(rows.filter((line) => line.includes('~') || line.includes(',left,'))).toEqual([]);
    expect((await story.plan()).json.counts).toEqual({});
    expect((await story.status()).json.waiting).toMatchObject([{ kind: 'declined', count: 1, until }]);
    story.clock.advance(3 * DAY_MS);
    expect((await story.sync()).code).toBe(0);
    expect(one.isDone(story)).toBe(true);
    expect(await endsIn(story)).toEqual([expect.stringContaining('its date came')]);
  },
);

test('shows a change as pending until all of it is declined, and no approval of a guard releases it then', async () => {
  const story = await openAsked(CASES['one language of a field'] as Declining);
  story.configure({ guards: { users: { update: { max: 0 } } } });
  expect((await story.plan()).code).toBe(3);
  const pending = async () => (await story.status()).json.waiting.filter(({ kind }) => kind === 'guard');
  expect(await pending()).toMatchObject([{ count: 1 }]);
  await decline(story, '--who', 'user:E1', '--field', 'title.en');
  expect(await pending()).toMatchObject([{ count: 1 }]);
  await decline(story, '--who', 'user:E1', '--field', 'title.no');
  expect(await pending()).toEqual([]);
  const approved = await story.approve({ guard: 'users.update', reason: 'as agreed' });
  expect([approved.code, approved.error?.code]).toEqual([1, 'SYNC_APPROVAL_OVER']);
});

sweep.each(Object.keys(CASES))('forgets %s that was declined once the source changes the value', async (name) => {
  const one = CASES[name] as Declining;
  const story = await openAsked(one);
  await decline(story, ...one.choice);
  await story.sync();
  story.deliver(one.other);
  expect((await story.sync({ full: true })).code).toBe(0);
  expect(await listDeclined(story)).toEqual([]);
  expect(await endsIn(story)).toEqual([expect.stringContaining('the source changed')]);
  // The very same delivery would count as an old file.
  story.deliver(one.asked.map((row) => (row.id === 'E2' ? { ...row, last: 'Again' } : row)));
  expect((await story.sync()).code).toBe(0);
  expect(one.isDone(story)).toBe(true);
});

sweep.each(Object.keys(CASES))('holds %s that was declined once the configuration is edited', async (name) => {
  const one = CASES[name] as Declining;
  const story = await openAsked(one);
  await decline(story, ...one.choice);
  await story.sync();
  story.configure(one.edit);
  for (const run of [() => story.plan(), () => story.sync()]) {
    const { code, json } = await run();
    expect(code).toBe(3);
    expect(json.guards).toMatchObject([
      { guard: 'users.declined', limit: 0, found: 1, held: 1, cause: 'configuration changed' },
    ]);
    expect(json.guards[0]?.detail).toMatch(/^declined by \S+ on \d{4}-\d\d-\d\d; the configuration has been edited/);
    expect(one.isDone(story)).toBe(false);
  }
  await story.approve({ guard: 'users.declined' });
  expect(await listDeclined(story)).toEqual([]);
  expect((await story.sync()).code).toBe(0);
  expect(one.isDone(story)).toBe(true);
});
