import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { person, type Row } from './company.js';
import { openStory, type Story } from './kit.js';

const NAMES = ['Åse', 'Bjørn', 'Cecilie', 'Dag', 'Erik', 'Frida', 'Geir', 'Hanne'];
const FAMILIES = ['Berg', 'Dahl', 'Eide', 'Foss', 'Gran', 'Haug', 'Iversen', 'Juul'];
const STAFF: readonly Row[] = NAMES.map((first, i) =>
  person(`E${i}`, { first, last: FAMILIES[i] ?? '', email: `m${(i * 5) % 8}@example.com`, phone: `+47 2200000${i}` }),
);

const PARKING = { parking_email: 'parked-{id}@example.com' };

async function openCompany(rows = STAFF, more: { readonly [key: string]: string } = PARKING): Promise<Story> {
  const story = await openStory();
  story.configure({
    users: { fields: { telephone: 'record.?phone' }, ...more },
  });
  story.deliver(rows);
  expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  return story;
}

/** The same columns, except these, which come from the row that `from` names. */
const shift = (columns: readonly (keyof Row)[], from: (i: number) => number): readonly Row[] =>
  STAFF.map((row, i) => ({
    ...row,
    ...Object.fromEntries(columns.map((column) => [column, STAFF[from(i)]?.[column] ?? `new-${i}@example.com`])),
  }));
const byEmail = (i: number): number => [...STAFF.keys()].sort((a, b) => ((a * 5) % 8) - ((b * 5) % 8))[i] ?? i;

test.each(
  oneIn(2, [
    ['the e-mail column, sorted alone', shift(['email'], byEmail)],
    ['the e-mail column, off by one', shift(['email'], (i) => i - 1)],
    ['the names, off by one', shift(['first', 'last'], (i) => i - 1)],
    ['names in reverse order', shift(['first', 'last'], (i) => 7 - i)],
    ['names and addresses, off by one', shift(['first', 'last', 'email'], (i) => i - 1)],
    ['entire rows except the number, off by one', shift(['first', 'last', 'email', 'phone'], (i) => i - 1)],
    ['telephone numbers in reverse order', shift(['phone'], (i) => 7 - i)],
  ]),
)('%s: holds all of them as one, and makes the other changes', async (_, rows) => {
  const story = await openCompany();
  story.deliver([...rows, person('E99')]);
  const held = await story.sync();
  expect(held).toMatchObject({
    code: 3,
    json: { done: 1, guards: [{ guard: 'users.shifted', cause: 'values shifted' }] },
  });
  expect(held.json.guards[0]?.held).toBeGreaterThanOrEqual(4);
  expect(story.takeWrites()).toHaveLength(1);

  expect((await story.approve({ guard: 'users.shifted', reason: 'it is right' })).code).toBe(0);
  expect((await story.sync()).json.guards).toEqual([]);
  expect(story.takeWrites().length).toBeGreaterThanOrEqual(4);
});

test('releases other fields of the same people once the addresses are corrected', async () => {
  const story = await openCompany();
  const titled = (rows: readonly Row[]): readonly Row[] => rows.map((row) => ({ ...row, title: 'Lead' }));
  story.deliver(titled(shift(['email'], (i) => (i + 1) % 8)));
  expect(await story.sync()).toMatchObject({ code: 3, json: { done: 0, guards: [{ fields: ['email'], held: 8 }] } });
  story.deliver(titled(STAFF));
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 8, guards: [] } });
});

sweep('holds swapped rows without a parking address, and mixes no names and addresses after an approval', async () => {
  const story = await openCompany(STAFF, {});
  const people = (): readonly string[] => story.users().map(({ name, email }) => `${name} ${email}`);
  const before = people();
  story.deliver(shift(['first', 'last', 'email', 'phone'], (i) => (i + 1) % 8));
  const held = await story.sync();
  expect(held).toMatchObject({ code: 3, json: { done: 0, guards: [{ guard: 'users.shifted', held: 8 }] } });
  expect((await story.approve({ guard: 'users.shifted', reason: 'it is right' })).code).toBe(0);
  const approved = await story.sync();
  expect(approved.json.held).toHaveLength(8);
  expect(approved.json.held[0]?.remedy).toContain('users.parking_email');
  expect(people().toSorted()).toEqual(before.toSorted());
});

sweep('accepts ordinary days: marriages, a mailbox handed on, the address of a former colleague', async () => {
  const story = await openCompany();
  const [a, b, c, d, e, ...rest] = STAFF as [Row, Row, Row, Row, Row, ...Row[]];
  story.deliver([
    { ...a, last: 'Dahl', email: 'new@example.com' },
    { ...b, email: a.email ?? '' },
    { ...c, status: 'left', email: 'gone@example.com' },
    { ...d, email: c.email ?? '' },
    { ...e, first: 'Frida' },
    ...rest.map((row) => (row.first === 'Frida' ? { ...row, last: 'Lund' } : row)),
  ]);
  expect(await story.sync()).toMatchObject({ json: { guards: [] } });
});

sweep('holds errors of a spreadsheet field by field, with or without an earlier text', async () => {
  const story = await openCompany();
  const [first, second, ...rest] = STAFF as [Row, Row, ...Row[]];
  story.deliver([{ ...first, title: 'Lead' }, second, ...rest]);
  await story.sync();
  story.takeWrites();
  story.deliver([{ ...first, title: '#N/A' }, { ...second, title: '#NAVN?', last: 'Lund' }, ...rest]);
  const ran = await story.sync();
  expect(ran.json.held.map(({ key, code, field }) => `${key} ${code} ${field}`)).toEqual([
    'E0 SYNC_TEXT_GARBLED title.en',
    'E1 SYNC_TEXT_GARBLED title.en',
  ]);
  expect(story.user('E0').title).toEqual({ en: 'Lead' });
  expect(story.user('E1').title).toEqual({});
  expect(story.user('E1').name).toContain('Lund');
});

sweep('text that was clean and looks doubly encoded is held field by field', async () => {
  const story = await openCompany();
  const [first, second, ...rest] = STAFF as [Row, Row, ...Row[]];
  const rows = [{ ...first, first: 'Ã…se', title: 'Lead' }, { ...second, first: 'Bj?rn' }, ...rest];
  story.deliver(rows);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(ran.json.held.map(({ key, code }) => `${key} ${code}`)).toEqual([
    'E0 SYNC_TEXT_GARBLED',
    'E1 SYNC_TEXT_GARBLED',
  ]);
  expect(ran.json.done).toBe(1);
  expect(story.user('E0')).toMatchObject({ name: 'Åse Berg', title: { en: 'Lead' } });

  const { conflict = '' } = ran.json.held[1] as { conflict?: string };
  expect((await story.type('holds', 'resolve', conflict, '--take', 'source')).code).toBe(0);
  await story.sync();
  expect(story.user('E1').name).toBe('Bj?rn Dahl');
  // With the right text again, nothing is left over.
  story.deliver([{ ...first, title: 'Lead' }, second, ...rest]);
  expect((await story.sync()).code).toBe(0);
  expect(story.user('E1').name).toBe('Bjørn Dahl');
});
