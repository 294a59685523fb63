import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { HEADER, line, person, type Row, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

const LENIENT = { guards: { users: { deactivate: { max: 100, percent: 100 }, relink: { max: 100, percent: 100 } } } };
/** `rank` is a number, and `title_no` names the owner of the row in the table below. */
const TYPED = {
  sources: {
    hr: {
      columns: {
        rank: { type: 'int', optional: true },
        title_no: { type: 'int', optional: true },
        role: { type: 'list', optional: true },
      },
    },
  },
  users: {
    fields: { born_year: 'record.?rank', telephone: 'record.?phone' },
  },
};
const scope = { users: { scope: 'record.office != "Bergen"' } };

async function openCompany(
  rows: readonly Row[],
  ...patches: readonly { readonly [key: string]: Yaml }[]
): Promise<Story> {
  const story = await openStory();
  for (const patch of [LENIENT, TYPED, ...patches]) story.configure(patch);
  story.deliver(rows);
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [] } });
  return story;
}

const left = (row: Row, more: Row = {}): Row => ({ ...row, status: 'left', ...more });
const isOut = (story: Story, key: string): boolean => story.user(key).deactivated === true;
const told = (held: readonly { key: string; code: string }[]) => held.map(({ key, code }) => `${key} ${code}`).sort();

test('deactivates everyone who has left according to HR, whatever else is wrong with the row', async () => {
  // The contents of each row when it says that its person has left.
  const leavers: readonly (readonly [string, Row])[] = [
    ['a sound row', {}],
    ['no e-mail', { email: '' }],
    ['no e-mail address', { email: 'n/a' }],
    ['a cell of another type', { rank: 'abc' }],
    ['a year of birth that is none', { rank: '3' }],
    ['no name', { first: '', last: '' }],
    ['an office that does not exist', { office: 'Atlantis' }],
    ['a country that is not mapped', { country: 'Norway' }],
    ['text read in another encoding', { first: 'JÃ¸rgen' }],
    ['out of scope', { office: 'Bergen' }],
    ['out of scope, and a cell of another type', { office: 'Bergen', rank: 'abc' }],
    ['two cells', { email: '', rank: 'abc' }],
  ];
  const people = leavers.map((_, index) =>
    person(`E${100 + index}`, { rank: '1980', phone: `+47 555 00${100 + index}` }),
  );
  const story = await openCompany([...people, person('E1')], scope);
  const rows = people.map((row, index) => left(row, leavers[index]?.[1]));
  story.deliver([...rows, person('E1')]);
  const planned = await story.plan();
  expect(planned.json.counts).toEqual({ users: { deactivate: leavers.length } });
  expect(await story.sync()).toMatchObject({
    code: 0,
    json: { held: [], counts: { users: { deactivate: leavers.length } } },
  });
  const stayed = leavers.flatMap(([what], index) => (isOut(story, `E${100 + index}`) ? [] : [what]));
  expect(stayed).toEqual([]);
  // The rows are not held any more: not in the same file, the next one, or a full read.
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { held: [], counts: {} } });
  story.deliver([...rows, person('E1', { title: 'Lead' })]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [], counts: { users: { update: 1 } } } });
  expect((await story.explain('user', 'E103')).json.steps).toMatchObject({ held: [], setting: 'users.leaver.when' });
});

sweep('keeps people whom another row shows, and people whose row is not reliable', async () => {
  const [twice, mended, ragged, rehired, rehiredOut, rehiredBad, both] = [
    'E10',
    'E20',
    'E30',
    'E40',
    'E50',
    'E60',
    'E70',
  ].map((id) => person(id, { rank: '1980' })) as [Row, Row, Row, Row, Row, Row, Row];
  const story = await openCompany([twice, mended, ragged, rehired, rehiredOut, rehiredBad, both, person('E1')], scope, {
    users: { leaver: { when: 'record.?status.orValue("") == "left" || record.?rank.orValue(0) == 1' } },
  });
  const bad: Row = { title_no: 'abc' };
  const rows = [
    // An ended contract next to an active one, in both orders, with and without errors, in and out of scope.
    left(twice, bad),
    twice,
    // `leaver.when` reads the wrong cell.
    { ...mended, rank: 'abc' },
    left(rehired, bad),
    { ...rehired, id: 'N40' },
    left(rehiredOut),
    { ...rehiredOut, id: 'N50', office: 'Bergen' },
    left(rehiredBad, bad),
    { ...rehiredBad, id: 'N60', ...bad },
    // Both rows of one key say that the person has left.
    left(both, bad),
    left(both, { office: 'Bergen' }),
    person('E1'),
  ];
  story.deliverText(`${[HEADER, ...rows.map(line), `${line(left(ragged))};;x`].join('\n')}\n`);
  const ran = await story.sync();
  // Two of them are held.
  expect(ran.json.counts).toEqual({ users: { deactivate: 3, relink: 1 } });
  expect(story.users().flatMap((user) => (user.deactivated ? [user.external_unique_id] : []))).toEqual(['E70']);
  expect(told(ran.json.held)).toEqual([
    'E10 SYNC_MAP_DUPLICATE_KEY',
    'E10 SYNC_ROW_CELL',
    'E20 SYNC_ROW_CELL',
    'E30 SYNC_ROW_FIELDS',
    'E50 SYNC_PROBABLE_SAME_PERSON',
    'E60 SYNC_PROBABLE_SAME_PERSON',
    'N60 SYNC_ROW_CELL',
  ]);
  // An answer exists for each of the questions.
  expect((await story.type('holds', 'resolve', 'user:E50', '--new', '--reason', 'two')).code).toBe(0);
  expect((await story.sync()).json.counts).toEqual({ users: { deactivate: 2 } });
  expect(isOut(story, 'E50')).toBe(true);
});

sweep('deactivates people who left under a new number, and moves the link in the same change', async () => {
  const people = ['E10', 'E20', 'E30', 'E40', 'E50'].map((id) => person(id, { rank: '1980' })) as [
    Row,
    Row,
    Row,
    Row,
    Row,
  ];
  const story = await openCompany([...people, person('E1')], scope, { users: { leaver: { after_missing_reads: 3 } } });
  const rows = [
    left({ ...people[0], id: 'N10' }),
    left({ ...people[1], id: 'N20', rank: 'abc' }),
    { ...people[2], id: 'N30' },
    // The same address, with another person's name.
    left({ ...people[3], id: 'N40', first: 'Olga', last: 'Nilsen' }),
    // The old row exists, so it decides.
    people[4],
    left({ ...people[4], id: 'N50' }),
    person('E1'),
  ];
  story.deliver(rows);
  const planned = await story.plan();
  expect(planned.json.counts).toEqual({ users: { deactivate: 2, relink: 1 } });
  const ran = await story.sync();
  expect(told(ran.json.held)).toEqual(['N40 SYNC_MATCH_CLAIMED']);
  expect(['E10', 'E20', 'N30', 'E40', 'E50'].map((key) => isOut(story, key))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  const entry = (await story.audit()).find(({ key }) => key === 'N10');
  expect(entry).toMatchObject({
    action: 'deactivate',
    before: { deactivated: false, source_key: 'E10' },
    after: { deactivated: true, source_key: 'N10' },
    cause: { kind: 'left', text: expect.stringContaining('E10 → N10: same e-mail and name') },
  });
  expect((await story.sync({ full: true })).json).toMatchObject({ counts: {}, held: [{ key: 'N40' }] });
  // Its question has an answer, and an undo returns the account to its new owner.
  const [held] = ran.json.held;
  expect(
    (await story.type('holds', 'resolve', held?.id ?? '', '--relink', '--reason', 'the same', '--json')).code,
  ).toBe(0);
  expect((await story.sync()).json.counts).toEqual({ users: { deactivate: 1 } });
  expect((await story.undo(ran.json.run)).code).toBe(0);
  expect(isOut(story, 'E10')).toBe(false);
  expect(await story.sync()).toMatchObject({ json: { counts: {} } });
});
