import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { runInit } from '../../src/cli/run-init.js';
import type { UnderstoodEntity } from '../../src/model/understood.js';
import { oneIn, sweep } from '../depth.js';
import { CRM, person, type Row } from './company.js';
import { openStory, type Story } from './kit.js';

const OSLO = { country: 'no', office: 'Oslo' };

/** A person in the account who matches the `person` of that id in the source. */
function known(id: string, more: object = {}) {
  return { ...OSLO, email: `${id.toLowerCase()}@example.com`, name: `Person ${id}`, external_unique_id: id, ...more };
}

async function check(story: Story): Promise<{ readonly code: number; readonly people: UnderstoodEntity }> {
  const { code, json } = await story.check();
  const [people] = json.understood?.entities ?? [];
  if (people?.entity !== 'users') throw new Error('people are not summed up');
  return { code, people };
}

/** The lines of a text from `people:` to the next empty line. */
function linesOfPeople(text: string): readonly string[] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith('people:'));
  return start < 0 ? [] : lines.slice(start, lines.indexOf('', start));
}

const TITLE = 'Project Manager';
const MIXED = {
  users: [
    known('E1', { title: { en: TITLE } }),
    known('E2', { external_unique_id: null, name: 'Other Name' }),
    known('E3', { external_unique_id: null }),
  ],
  rows: [
    person('E1', { title: `Senior ${TITLE}` }),
    person('E2', { title: 'Lead', status: 'LOA' }),
    person('E3', { status: 'left' }),
    person('E4', { status: 'left' }),
    person('E5', { office: 'Bergen', status: 'active' }),
  ],
};

sweep('shows in check who is in the account, which columns feed its fields, and which words are unknown', async () => {
  const story = await openStory({ users: MIXED.users });
  story.deliver(MIXED.rows);
  const { stdout } = await story.type('check');
  expect(linesOfPeople(stdout)).toEqual([
    'people: 5 rows · 3 are in the account (2 by e-mail, 1 by external id) · 1 new',
    '  2 have left (status: left), 1 of them not in the account',
    '  external id from "id": 1 of 2 equal, 1 empty value would be filled',
    '  e-mail from "email": 2 of 2 equal',
    '  name from "first", "last": 1 of 2 equal, 1 would change ("Other Name" → "Person E2")',
    '  office from "country", "office": 2 of 2 equal',
    '  title from "title": 0 of 2 equal, 1 empty value would be filled, 1 would change ("Project',
    '  Manager" → "Senior Project Manager")',
    '  not understood: status "LOA" (1 person), treated as active',
  ]);
});

test('documents in check what it understood, sends no write, and stores no copy of the account', async () => {
  const story = await openStory({ users: MIXED.users });
  story.deliver(MIXED.rows);
  const { code, people } = await check(story);
  expect(code).toBe(0);
  expect(people).toMatchObject({
    ...{ sources: ['hr'], rows: 5, unusable: 0, out_of_scope: 0, in_account: 3, new: 1, start_later: 0 },
    matched_by: { email: 2, external_unique_id: 1 },
    left: { people: 2, not_in_account: 1, left_alone: 0, because: [{ column: 'status', words: ['left'] }] },
    not_understood: [{ column: 'status', word: 'LOA', rows: 1 }],
    warnings: [],
  });
  expect(people.fields.find(({ field }) => field === 'title')).toEqual({
    ...{ field: 'title', from: ['title'], compared: 2, equal: 0, would_change: 1, would_fill: 1, kept: 0 },
    examples: [{ before: TITLE, after: `Senior ${TITLE}` }],
  });
  expect(story.takeWrites()).toEqual([]);
  expect((await story.status()).json.links.users).toBe(0);
  story.takeReads();
  await story.plan();
  expect(story.takeReads().join(' ')).toContain('users/search');
});

test('says that a source could not be read instead of counting no rows', async () => {
  const story = await openStory({ users: MIXED.users });
  const { code, people } = await check(story);
  expect(code).toBe(1);
  expect(people).toMatchObject({ rows: null, unread: ['hr'], in_account: null, new: null, fields: [], warnings: [] });
  expect(linesOfPeople((await story.type('check')).stdout)).toEqual(['people: hr could not be read']);
});

const MANY = ['E1', 'E2', 'E3', 'E4'];
const WARNED: readonly {
  readonly what: string;
  readonly users: readonly object[];
  readonly rows: readonly Row[];
  readonly warnings: readonly string[];
}[] = [
  {
    what: 'most people get another title',
    users: MANY.map((id) => known(id, { title: { en: 'Consultant' } })),
    rows: MANY.map((id) => person(id, { title: 'Active' })),
    warnings: ['The title of 4 of 4 known people would change: is it the right column?'],
  },
  {
    what: 'a third of the people get another title',
    users: ['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7', 'E8', 'E9'].map((id) => known(id, { title: { en: 'Lead' } })),
    rows: ['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7', 'E8', 'E9'].map((id, i) =>
      person(id, { title: i < 3 ? 'Other' : 'Lead' }),
    ),
    warnings: [],
  },
  {
    what: 'names are in capitals',
    users: [...MANY, 'E5', 'E6', 'E7', 'E8', 'E9', 'E10'].map((id) => known(id)),
    rows: [...MANY, 'E5', 'E6', 'E7', 'E8', 'E9', 'E10'].map((id, i) => person(id, i < 3 ? { first: 'PERSON' } : {})),
    warnings: ['3 of the 3 differences in the name are only in upper and lower case.'],
  },
  {
    what: 'nobody of the source is in the account',
    users: [known('X1')],
    rows: [person('E1')],
    warnings: ['The account has 1 person, but nobody in the source matches one of them: check `match`.'],
  },
  {
    what: 'all new people are in one of several offices',
    users: [known('E1', { office: 'Bergen' })],
    rows: [person('E1', { office: 'Bergen' }), person('E2'), person('E3'), person('E4')],
    warnings: ['All 3 new people would be in one office, no/oslo; the source and the account have several.'],
  },
  {
    what: 'the account lacks an office',
    users: [known('E1')],
    rows: [person('E1'), person('E2', { office: 'Moss' }), person('E3', { office: 'Moss' })],
    warnings: ['The account lacks the office of 2 new people: no/Moss (2); these people would be held.'],
  },
  {
    what: 'a person was deactivated by hand',
    users: [known('E1', { deactivated: true })],
    rows: [person('E1')],
    warnings: ['1 person is deactivated in the account, but their rows do not say that they have left.'],
  },
];

test.each(oneIn(1, WARNED))('warns in check, or not: $what', async ({ users, rows, warnings }) => {
  const story = await openStory({ users } as never);
  story.deliver(rows);
  const { code, people } = await check(story);
  expect(people.warnings).toEqual(warnings);
  expect(code).toBe(0);
});

sweep('reads the people of the account again in check only while the mirror has none', async () => {
  const searches = (story: Story): number => story.takeReads().filter((call) => call.includes('users/search')).length;
  const story = await openStory({ users: [known('E1')] });
  story.deliver([person('E1')]);
  await story.check();
  const first = searches(story);
  await story.sync();
  searches(story);
  const { people } = await check(story);
  expect(people.matched_by).toEqual({ link: 1 });
  expect(first - searches(story)).toBe(1);
});

sweep('only connects with check --quick', async () => {
  const story = await openStory({ users: [known('E1')] });
  story.deliver([person('E1')]);
  const { stdout } = await story.type('check', '--quick', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ ok: true });
  expect(JSON.parse(stdout)).not.toHaveProperty('understood');
});

sweep('fails an incomplete source before the first run, but still summarises it', async () => {
  const story = await openStory({ users: [known('E1')] });
  story.deliver([person('E1'), { ...person('E2'), id: '', email: '', first: '', last: '' }]);
  const { code, json } = await story.check();
  expect(code).toBe(1);
  expect(json.checks.find(({ name }) => name === 'source hr')).toMatchObject({
    ok: false,
    error: { code: 'SYNC_SOURCE_INCOMPLETE' },
  });
  expect(json.understood?.entities).toMatchObject([{ rows: 2, unusable: 1 }]);
});

sweep('puts the summary on top of a first plan in all formats, but of no later one', async () => {
  const story = await openStory({ users: MIXED.users });
  story.deliver(MIXED.rows);
  const files = ['plan.md', 'plan.html'].map((name) => join(story.folder, name));
  const { stdout } = await story.type('plan', ...files.flatMap((file) => ['--report', file]));
  const head = 'people: 5 rows · 3 are in the account (2 by e-mail, 1 by external id) · 1 new';
  expect(linesOfPeople(stdout)).toContain(head);
  for (const file of files) expect(readFileSync(file, 'utf8')).toContain(head);
  await story.sync();
  story.deliver([...MIXED.rows, person('E6')]);
  expect(linesOfPeople((await story.type('plan')).stdout)).toEqual([]);
});

sweep.each(['upsert-only', 'create-only'])(
  'says in a first plan and in check how many leavers policy: %s leaves alone',
  async (policy) => {
    const story = await openStory({ users: [known('E1'), known('E2'), known('E3', { deactivated: true })] });
    story.configure({ policy });
    story.deliver(['E1', 'E2', 'E3', 'E4'].map((id) => person(id, { status: 'left' })));
    const said =
      '4 have left (status: left), 1 of them not in the account, 2 left alone, as only `policy: sync` deactivates';
    for (const command of ['check', 'plan']) {
      const text = linesOfPeople((await story.type(command)).stdout).join(' ');
      expect(text.replaceAll(/\s+/g, ' '), command).toContain(said);
    }
    story.configure({ policy: 'sync' });
    expect((await check(story)).people.left.left_alone).toBe(0);
  },
);

const TODAY_RULE = 'has(record.rank) && record.rank < today';
const RULES: readonly {
  readonly when: string;
  readonly rows: readonly Row[];
  readonly because: UnderstoodEntity['left']['because'];
  readonly unknown?: readonly string[];
  readonly columns?: object;
}[] = [
  {
    when: 'record.?status.orValue("active") != "active"',
    rows: [person('E1', { status: 'Gone' }), person('E2', { status: 'active' })],
    because: [{ column: 'status', words: ['Gone'] }],
  },
  {
    when: 'record.?status.orValue("").lower() in ["left", "gone"]',
    rows: [
      ...[person('E1', { status: 'LEFT' }), person('E2', { status: 'Gone' }), person('E3', { status: 'Gone' })],
      ...[person('E4', { status: 'Leave' }), person('E5', { status: 'Active' }), person('E6')],
    ],
    because: [{ column: 'status', words: ['Gone', 'LEFT'] }],
    unknown: ['Leave'],
  },
  {
    when: TODAY_RULE,
    rows: [person('E1', { rank: '2020-01-31' }), person('E2')],
    because: [{ column: 'rank', words: [] }],
    columns: { rank: { type: 'date', optional: true } },
  },
  {
    when: '!record.?rank.orValue(true)',
    rows: [person('E1', { rank: 'no' }), person('E2', { rank: 'yes' })],
    because: [{ column: 'rank', words: [] }],
    columns: { rank: { type: 'bool', optional: true } },
  },
];

test.each(oneIn(1, RULES))(
  'says in check how people have left: $when',
  async ({ when, rows, because, unknown = [], columns = {} }) => {
    const story = await openStory();
    story.configure({ sources: { hr: { columns } }, users: { leaver: { when } } } as never);
    story.deliver(rows);
    const { people } = await check(story);
    expect(people.left.because).toEqual(because);
    expect(people.not_understood.map(({ word }) => word)).toEqual(unknown);
  },
);

sweep('says in check who starts later, and which rows are out of scope or unusable', async () => {
  const story = await openStory();
  story.configure({
    sources: { hr: { columns: { rank: { type: 'date', optional: true } } } },
    users: { joiner: { start: 'record.?rank' }, scope: 'record.?unit.orValue("") != "board"' },
  });
  story.deliver([
    ...[person('E1', { rank: '2099-01-01' }), person('E2', { unit: 'board' }), person('E3', { email: '' })],
    ...[person('E4'), person('E4', { title: 'Lead' })],
  ]);
  const { stdout } = await story.type('check');
  expect(linesOfPeople(stdout).slice(0, 2)).toEqual([
    'people: 5 rows · 0 are in the account · 1 new',
    '  1 starts later · 1 out of scope · 3 rows cannot be used',
  ]);
});

sweep('summarises customers and projects in check in one line each', async () => {
  const story = await openStory();
  story.configure(CRM);
  story.deliver([person('E1')]);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([{ id: 'P1', customer: 'C1', name: 'Dam' }]);
  const { stdout } = await story.type('check');
  expect(stdout).toContain('\ncustomers: 1 row · 0 are in the account · 1 new\n');
  expect(stdout).toContain('\nprojects: 1 row · not compared with the account\n');
});

sweep('ends init with the same summary after a look at the account, and does not read it twice', async () => {
  const story = await openStory({ users: [known('E1'), known('E2'), known('E3')] });
  story.deliver([person('E1'), person('E2'), person('E3'), person('E4')]);
  story.takeReads();
  let shown = '';
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      shown += String(chunk);
      done();
    },
  });
  await runInit(
    { stdout, stderr: stdout, env: { ...story.env }, clock: story.clock, setExitCode: () => {}, exit: () => undefined },
    {
      ...{ yes: true, force: true, service: story.sandbox.url, out: story.configFile },
      sample: [join(story.folder, 'drop/hr/employees-01.csv')],
    },
  );
  const [head] = linesOfPeople(shown);
  expect(head).toMatch(/^people: 4 rows · 3 are in the account \(.*\) · 1 new$/);
  expect(story.takeReads().filter((call) => call.includes('users/search'))).toHaveLength(1);
});
