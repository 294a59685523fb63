import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.js';
import { type Answers, type KnownPerson, NO_ANSWERS } from '../../../src/config/sample/answers.js';
import { readSample } from '../../../src/config/sample/read-sample.js';
import { type ProposedConfig, renderConfig } from '../../../src/config/sample/render-config.js';
import { matchesPattern } from '../../../src/connectors/drop/file-names.js';
import { closeAfterTest } from '../../closing.js';

const NAMES = 'Anna Berg,Bo Lie,Cato Dahl,Dina Holm,Eli Moen,Frida Vik,Geir Aas,Hana Lund,Ivar Sund,Jon Rud'.split(',');
const PEOPLE = NAMES.map((name, at) => {
  const [first = '', last = ''] = name.split(' ');
  return { at, first, last, name, number: String(1001 + at), email: `${first}.${last}@nordvik.example`.toLowerCase() };
});
type Someone = (typeof PEOPLE)[number];

/** Header → the cell of each person. */
type Columns = Readonly<Record<string, (person: Someone) => string>>;

const BASIC: Columns = {
  'Employee ID': ({ number }) => number,
  'First Name': ({ first }) => first,
  'Last Name': ({ last }) => last,
  Email: ({ email }) => email,
};

const known = (person: Someone, rest: Partial<KnownPerson> = {}): KnownPerson => ({
  ...{ email: person.email, externalId: person.number, name: person.name, title: {}, telephone: null },
  ...{ office: { country: 'no', name: 'Oslo' }, deactivated: false, ...rest },
});

function account(count: number, rest: (person: Someone) => Partial<KnownPerson> = () => ({})): Partial<Answers> {
  const people = PEOPLE.slice(0, count).map((person) => known(person, rest(person)));
  const offices = [{ country: 'no', name: 'Oslo' }];
  return { service: { people, countries: ['no', 'dk'], offices: [...offices, { country: 'dk', name: 'København' }] } };
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-doubts-'));
  closeAfterTest({ close: () => rmSync(folder, { recursive: true, force: true }) });
  return folder;
}

async function propose(columns: Columns, answers: Partial<Answers> = {}): Promise<string> {
  return (await proposeAll(columns, answers)).text;
}

async function proposeAll(columns: Columns, answers: Partial<Answers>): Promise<ProposedConfig> {
  const folder = makeFolder();
  const rows = PEOPLE.map((person) => Object.values(columns).map((cell) => cell(person)));
  writeFileSync(join(folder, 'a.csv'), [Object.keys(columns), ...rows].map((cells) => cells.join(';')).join('\n'));
  const sample = await readSample(join(folder, 'a.csv'));
  const today = new Date('2026-11-29T00:00:00Z');
  return renderConfig([sample], folder, 'https://acme.example.com', { ...NO_ANSWERS, today, ...answers });
}

/** A word for some people, by their place in the list. */
const at =
  (words: Readonly<Record<number, string>>, other: string) =>
  (person: Someone): string =>
    words[person.at] ?? other;

describe('the rule for leavers', () => {
  it.each<[string, Columns, readonly string[]]>([
    [
      'holds words that no rule names',
      { 'Worker Status': at({ 3: 'Terminated', 5: 'Rescinded', 6: 'No Show' }, 'Active') },
      [`doubtful: 'record["Worker Status"].lower() in ["rescinded", "no show"]'`, '.lower() == "terminated"'],
    ],
    [
      'holds inactive people next to retired ones',
      { Status: at({ 3: 'Retired', 5: 'Inactive' }, 'Active') },
      [`doubtful: 'record.Status.lower() == "inactive"'`, `record.Status.lower() == "retired"`],
    ],
    [
      'holds letters that systems use differently',
      { EMPL_STATUS: at({ 3: 'T', 5: 'U', 6: 'D', 7: 'L' }, 'A') },
      [`doubtful: 'record.EMPL_STATUS.lower() in ["u", "d"]'`],
    ],
    [
      'is a condition for a header about employment and clear words',
      { Employment: at({ 3: 'Former' }, 'Current') },
      [`leaver: { when: 'record.Employment.lower() == "former"' }`],
    ],
    [
      'is a question for clear words below another header',
      { Newsletter: at({ 3: 'Inactive' }, 'Active') },
      ['leaver: unknown # To answer: does "Inactive" in "Newsletter" mean that a person has left?'],
    ],
    [
      'uses a flag that says who is still there',
      { 'Still Employed': at({ 3: 'N' }, 'Y') },
      [`'!record["Still Employed"]'`],
    ],
    [
      'is a question for a few words in an unknown language',
      { Stav: at({ 3: 'Ukončený' }, 'Aktivní') },
      ['leaver: unknown # To answer: does any word of "Stav" mean that a person has left ("Aktivní", "Ukončený")?'],
    ],
    [
      'is a question for a reason for leaving',
      { 'Reason for leaving': at({ 3: 'Resignation' }, '') },
      ['leaver: unknown # To answer: have the people with a value in "Reason for leaving" left?'],
    ],
    [
      'is a question for dates without a century',
      { DOJ: at({ 5: '04-Jan-27' }, '04-Jan-19'), DOL: at({ 3: '14-Aug-25' }, '') },
      ['leaver: unknown # To answer: is "DOL"', 'joiner: unknown # To answer: is "DOJ"'],
    ],
    [
      'ignores an end before the first day',
      {
        'Last Hire Date': at({ 3: '2021-02-01' }, '2018-01-01'),
        'Termination Date': at({ 3: '2019-05-31', 4: '2025-10-31' }, ''),
      },
      ['&& !(record["Last Hire Date"] > record["Termination Date"])'],
    ],
    [
      'needs no answer for people who start later',
      { Status: at({ 3: 'Left', 5: 'Requested' }, 'Active'), 'Start Date': at({ 5: '2027-01-04' }, '2018-01-01') },
      [
        'leaver: { when: \'record.Status.lower() == "left"\' } # all words of "Status": "Active", "Left", "Requested"\n  joiner: {',
      ],
    ],
  ])('%s', async (_, columns, lines) => {
    const text = await propose({ ...BASIC, ...columns });
    for (const line of lines) expect(text).toContain(line);
    if (!lines.join('').includes('doubtful')) expect(text).not.toContain('doubtful:');
  });

  it('uses the account to settle a word that active people have', async () => {
    const status = { Status: at({ 3: 'Terminated', 5: 'Inactive', 6: 'Inactive' }, 'Active') };
    const text = await propose(
      { ...BASIC, ...status },
      account(10, (person) => ({ deactivated: person.at === 3 })),
    );
    expect(text).not.toContain('doubtful:');
  });
});

describe('the file proposes', () => {
  it.each<[string, Columns, readonly string[], Partial<Answers>?]>([
    [
      'no home town as office',
      { Straße: () => 'Gartenweg 1', PLZ: () => '20000', Ort: at({ 3: 'Ahrensburg' }, 'Hamburg'), Land: () => 'DE' },
      ['# office: no column says where people work'],
    ],
    [
      'no home country next to an office',
      {
        'Address Line 1': () => 'Street 1',
        City: at({ 3: 'Malmö' }, 'Roskilde'),
        Zip: () => '2000',
        Country: at({ 3: 'Sweden' }, 'Denmark'),
        Location: () => 'Copenhagen',
      },
      [`office: { country: '"dk"', name: record.Location }`],
    ],
    [
      'the work address',
      { Email: ({ first, at: i }) => `${first}${i}@gmail.com`, 'Work Email': ({ email }) => email },
      [`email: 'record["Work Email"].lowerAscii()'`],
    ],
    [
      'an address that a few people have not got in the account, for matching only',
      {},
      ['match: [external_unique_id, email]', 'email: { value: record.Email.lowerAscii(), apply: empty }'],
      account(6, ({ at: i, email }) => ({ externalId: null, email: i === 2 ? 'dahl@nordvik.example' : email })),
    ],
    [
      'no number as id if some people have other ids',
      {},
      ['match: [email]', '# external_unique_id: '],
      account(6, ({ at: i, number }) => ({ externalId: i < 2 ? `P${number}` : number })),
    ],
    [
      'a function as title only as a question',
      { Function: at({ 3: 'Sales' }, 'Finance') },
      ['# title: { en: record.Function } # GUESS'],
    ],
    [
      "titles in the account's language",
      { 'Job Title': at({ 3: 'Accountant' }, 'Consultant') },
      [`title: { no: 'record["Job Title"]' }`],
      account(3, () => ({ title: { no: 'Consultant' } })),
    ],
    [
      'no title that changes a known person',
      { 'Job Title': at({ 1: 'Accountant' }, 'Consultant') },
      [`title: { value: { en: 'record["Job Title"]' }, apply: empty } # 1 of 3 known people have another title`],
      account(3, () => ({ title: { en: 'Consultant' } })),
    ],
    [
      'no name that changes the only known person',
      {},
      [`name: { value: 'record["First Name"] + " " + record["Last Name"]', apply: empty }`],
      account(1, () => ({ name: 'Annie Berg' })),
    ],
    [
      'no id in place of another one',
      {},
      ['external_unique_id: { value: \'record["Employee ID"]\', apply: empty }'],
      account(3, (person) => (person.at === 2 ? { externalId: 'X-77' } : {})),
    ],
    [
      'no number that begins with a birthday',
      { 'Employee ID': ({ at: i }) => `80010${i + 1}500${i}08` },
      ['key: Email\n', '# external_unique_id: '],
    ],
    [
      'no user id as number',
      { 'Employee ID': () => '', 'User ID': ({ at: i }) => `36012000${i}7` },
      ['# external_unique_id: '],
    ],
  ])('%s', async (_, columns, lines, answers) => {
    const text = await propose({ ...BASIC, ...columns }, answers);
    for (const line of lines) expect(text).toContain(line);
    expect(text).not.toContain('create_missing: true }');
  });
});

describe('offices that the account lacks', () => {
  const MAPPED = "name: 'lookup(maps.offices, record.Site, record.Site)'";
  it.each<[string, Columns, readonly string[], readonly string[]]>([
    [
      'may be another name of an office in their country that the file lacks',
      { Site: at({ 3: 'Nordhavn' }, 'Oslo'), Country: at({ 3: 'Denmark' }, 'Norway') },
      [`${MAPPED} } # for new offices, add create_missing: true once`],
      ['create_missing: true }'],
    ],
    [
      'are its offices if the city is the same in another language',
      { Site: at({ 3: 'Copenhagen' }, 'Oslo'), Country: at({ 3: 'Denmark' }, 'Norway') },
      ['"Copenhagen": "København" # as the account spells it'],
      ['# GUESS'],
    ],
    [
      'resemble one of its offices',
      { Site: at({ 3: 'Oslo Sentrum', 4: 'København' }, 'Oslo'), Country: at({ 4: 'Denmark' }, 'Norway') },
      ['"Oslo Sentrum": "Oslo Sentrum" # GUESS: a new office; if it is one of'],
      ['create_missing: true }'],
    ],
    [
      'are new if the file names all others of their country',
      { Site: at({ 3: 'Bergen' }, 'Oslo'), Country: at({}, 'Norway') },
      ['"Bergen": "Bergen" # a new office', 'create_missing: true }'],
      ['# GUESS'],
    ],
    [
      'are a question in a country where it has no office',
      { Site: at({ 3: 'Kista' }, 'Oslo'), Country: at({ 3: 'Sweden' }, 'Norway') },
      ['"Kista": "Kista" # GUESS'],
      ['create_missing: true }'],
    ],
  ])('%s', async (_, columns, lines, not) => {
    const text = await propose({ ...BASIC, ...columns }, account(3));
    for (const line of lines) expect(text).toContain(line);
    for (const line of not) expect(text).not.toContain(line);
  });
});

describe('the country of an office', () => {
  it.each<[string, Columns, readonly string[], readonly string[]]>([
    [
      'is that of the city in any spelling',
      { Office: at({ 3: 'Muenchen', 4: 'London' }, 'Bergen') },
      ['"Muenchen": "de"', '"London": "gb"', '"Bergen": "no"'],
      ['# office'],
    ],
    [
      'is open if a smaller city of the same name may be meant',
      { Office: at({ 3: 'London', 4: 'London' }, 'Toronto') },
      ['"Toronto": "ca"'],
      ['"London": "gb"', '"London": "ca"'],
    ],
    [
      'is open if the addresses end in the country of the smaller city',
      { Office: () => 'London', Email: ({ first }) => `${first}@maple.ca`.toLowerCase() },
      ['# office: {'],
      ['"London": "gb"', `country: '"gb"'`],
    ],
    ['is open for unknown places', { Office: at({ 3: 'Annex' }, 'Head House') }, ['# office: {'], []],
  ])('%s', async (_, columns, lines, not) => {
    const text = await propose({ ...BASIC, ...columns });
    for (const line of lines) expect(text).toContain(line);
    for (const line of not) expect(text).not.toContain(line);
  });
});

it.each<[string, readonly string[], string]>([
  ['codes', ['export_3fa2.csv', 'export_91bc.csv'], 'export_*.csv'],
  ['numbers in front of a word', ['staff-1204-a.csv', 'staff-1309-b.csv'], 'staff-*.csv'],
  ['words', ['staff_2026-11-01.csv', 'staff_left_2026-11-01.csv'], 'staff_????-??-??.csv'],
])('finds a pattern for deliveries whose names differ in %s', async (what, names, pattern) => {
  const folder = makeFolder();
  const head = Object.keys(BASIC).join(';');
  for (const name of names) writeFileSync(join(folder, name), `${head}\n1;Anna;Berg;anna@nordvik.example\n`);
  const { text } = renderConfig([await readSample(join(folder, names[0] ?? ''))], folder, 'https://acme.example.com');
  const found = /pattern: "(.+)"/.exec(text)?.[1] ?? '';
  expect(found).toBe(pattern);
  expect(names.every((name) => matchesPattern(name, found))).toBe(what !== 'words');
});

it('writes a line that works once its mark is removed', async () => {
  const text = await propose({ ...BASIC, Location: at({ 3: 'Annex' }, 'Head House') });
  const line = `office: { country: '""', name: record.Location }`;
  expect(text).toContain(`# ${line}`);
  const changed = text.replace(`# ${line}`, line.replace('""', '"no"'));
  expect(() => loadConfig('talent-sync.yaml', { TALENT_API_KEY: 'key' }, changed)).not.toThrow();
});

it('does not take a form of address for a title', async () => {
  const text = await propose({ ...BASIC, Title: at({ 3: 'Frau Dr.' }, 'Mr'), 'Job Title': () => 'Consultant' });
  expect(text).toContain(`title: { en: 'record["Job Title"]' }`);
});

describe('an answer that does not fit', () => {
  it.each<[string, Partial<Answers>, string]>([
    ['a column of dates without dates', { columns: { endDate: 'Job Title' } }, '"Job Title" has no dates'],
    [
      "a customer's name in the file with the people",
      { columns: { customerName: 'Job Title' } },
      'No file with customers',
    ],
    ['an order for unambiguous dates', { dates: 'day' }, 'No date in the file can be read in two orders'],
    ['a country if every row has one', { country: 'se' }, 'A column has the country of every row'],
  ])('is rejected: %s', async (_, answers, message) => {
    const columns = {
      'Job Title': () => 'Consultant',
      Office: () => 'Oslo',
      Country: () => 'NO',
      Start: () => '2020-01-31',
    };
    await expect(propose({ ...BASIC, ...columns }, answers)).rejects.toThrow(message);
  });
});

describe('a field in which a few known people differ', () => {
  const title = { 'Job Title': at({ 1: 'Accountant' }, 'Consultant') };
  const known = account(3, ({ at: i, name }) => ({ title: { en: 'Consultant' }, name: i === 0 ? 'Annie Berg' : name }));
  const kept = (text: string) => [...text.matchAll(/(\w+): \{ value: .*, apply: empty \}/g)].map(([, name]) => name);

  const asked = ({ open }: ProposedConfig) => open.filter(({ flag }) => flag === '--update');

  it('is kept, and asked about', async () => {
    const proposed = await proposeAll({ ...BASIC, ...title }, known);
    expect(kept(proposed.text)).toEqual(['name', 'title']);
    expect(asked(proposed).map(({ about, otherwise }) => [about, otherwise])).toEqual([
      ['name', 'no'],
      ['title', 'no'],
    ]);
    expect(asked(proposed)[0]?.text).toMatch(
      /^1 of 3 known people have another name in the account, such as "Annie Berg" for /,
    );
  });

  it('is overwritten or kept as answered', async () => {
    const updates = { name: true, title: false };
    const proposed = await proposeAll({ ...BASIC, ...title }, { ...known, updates });
    expect([kept(proposed.text), asked(proposed)]).toEqual([['title'], []]);
    expect(proposed.text).toMatch(/name: 'record\["First Name"\].*# 2 of 3 are equal; 1 would change/);
  });

  it('is never asked about if it is the id', async () => {
    const proposed = await proposeAll(
      BASIC,
      account(3, (one) => (one.at === 2 ? { externalId: 'X-77' } : {})),
    );
    expect([kept(proposed.text), asked(proposed)]).toEqual([['external_unique_id'], []]);
  });
});
