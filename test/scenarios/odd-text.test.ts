import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { person, type Row } from './company.js';
import { openStory, type Story } from './kit.js';

const IDS = ['E1', 'E2', 'E3', 'E4', 'E5', 'E6'];
const rowsOf = (change: (id: string) => Row = () => ({})): readonly Row[] =>
  IDS.map((id) => ({ ...person(id, { title: 'Consultant', phone: '+4722334455' }), ...change(id) }));

async function openCompany(): Promise<Story> {
  const story = await openStory();
  story.configure({ users: { fields: { telephone: 'record.?phone', upn: 'record.email' } } });
  story.deliver(rowsOf());
  expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  return story;
}

sweep('accepts a key that gains an invisible character as the same key, and notes its removal', async () => {
  const story = await openCompany();
  story.deliver(rowsOf((id) => (id === 'E2' ? { id: 'E\u200b2', first: 'Per\u00adson' } : {})));
  for (let run = 0; run < 2; run++) {
    const ran = await story.sync();
    expect(ran).toMatchObject({ code: 0, json: { counts: {}, guards: [] } });
    expect(ran.json.held.map(({ code, key }) => `${code} ${key}`).sort()).toEqual([
      'SYNC_CELL_NOTED hr.first',
      'SYNC_CELL_NOTED hr.id',
    ]);
  }
  expect(story.takeWrites()).toEqual([]);
});

test.each(
  oneIn(1, [
    ['a Cyrillic letter', 'Е2', '"E2" is "Е2" (U+0415) now'],
    ['a full-width digit', 'E２', '"E2" is "E２" (U+FF12) now'],
    ['a dot at its end', 'E2.', '"E2" is "E2." now'],
  ]),
)('a key that is a known one but for %s holds the source', async (_, key, example) => {
  const story = await openCompany();
  story.deliver(rowsOf((id) => (id === 'E2' ? { id: key } : {})));
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 3, json: { done: 0, guards: [{ cause: 'keys reformatted', found: 1 }] } });
  expect(ran.json.guards[0]?.detail).toContain(example);
});

sweep('holds a source with a second person whose key resembles an existing one', async () => {
  const story = await openCompany();
  story.deliver([...rowsOf(), { ...person('Е2', { email: 'new@example.com' }) }]);
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 3, json: { done: 0, guards: [{ cause: 'keys reformatted', found: 1 }] } });
});

sweep('keys in scientific notation are what a spreadsheet has shortened', async () => {
  const story = await openCompany();
  story.deliver(rowsOf(() => ({ id: '1.00E+05' })));
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 3, json: { done: 0, guards: [{ cause: 'keys reformatted' }] } });
  expect(ran.json.guards[0]?.detail).toMatch(/^a spreadsheet has shortened the keys: .*"1\.00E\+05"/);
});

sweep('an address with an invisible character is held, with the account that it means', async () => {
  const story = await openCompany();
  story.deliver([...rowsOf(), person('E9', { first: 'Anna', last: 'Berg', email: 'e2\u200b@example.com' })]);
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 4, json: { done: 0 } });
  const hold = ran.json.held.find(({ code }) => code === 'SYNC_ADDRESS_SIGN');
  expect(hold?.reason).toContain('an invisible character (U+200B) after `e2`');
  expect(hold?.remedy).toContain('It probably means e2@example.com, which belongs to Person E2');
  story.deliver([...rowsOf(), person('E9', { first: 'Anna', last: 'Berg', email: 'anna@example.com' })]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
});

sweep('keeps the existing values if a file says N/A or NULL, and reports each column once', async () => {
  const story = await openCompany();
  story.deliver(rowsOf((id) => (id === 'E1' ? {} : { title: 'N/A', phone: 'NULL' })));
  for (let run = 0; run < 2; run++) {
    const ran = await story.sync();
    expect(ran).toMatchObject({ code: 0, json: { counts: {} } });
    expect(ran.json.held.map(({ key, reason }) => [key, /in (\d+ rows)/.exec(reason)?.[1]])).toEqual([
      ['hr.title', '5 rows'],
      ['hr.phone', '5 rows'],
    ]);
  }
  expect(story.takeWrites()).toEqual([]);
});

sweep('holds a name that is a word for nothing, but not people whose real name is such a word', async () => {
  const story = await openCompany();
  const names: Record<string, Row> = {
    E1: { first: 'NULL', last: 'NULL' },
    E2: { last: 'None' },
  };
  story.deliver([
    ...rowsOf((id) => names[id] ?? {}),
    person('E7', { first: 'Jennifer', last: 'Null' }),
    person('E8', { first: 'N. A.', last: 'Berg' }),
    person('E9', { first: 'Tom', last: 'Nan' }),
  ]);
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 4, json: { counts: { users: { create: 3 } } } });
  expect(ran.json.held.map(({ code, key }) => `${key} ${code}`)).toEqual([
    'E1 SYNC_MAP_NOTHING',
    'E2 SYNC_TEXT_GARBLED',
  ]);
});

sweep('holds telephone numbers that a spreadsheet has damaged field by field, even for new people', async () => {
  const story = await openCompany();
  story.deliver([
    ...rowsOf((id) => (id === 'E1' ? { phone: '4722334455' } : id === 'E2' ? { phone: '4.72E+09' } : {})),
    person('E9', { phone: '4.72E+09' }),
  ]);
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 4, json: { counts: { users: { create: 1 } } } });
  expect(ran.json.held.map(({ key, field }) => `${key} ${field}`)).toEqual([
    'E1 telephone',
    'E2 telephone',
    'E9 telephone',
  ]);
  expect(ran.json.held.every(({ reason }) => reason.includes('a spreadsheet'))).toBe(true);
});
