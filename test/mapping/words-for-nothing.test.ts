import { describe, expect, it, test } from 'vitest';
import type { Cell } from '../../src/model/source.js';
import { mapUser, valuesOf } from './sample.js';

type Cells = Readonly<Record<string, Cell>>;

describe('a word for nothing', () => {
  it.each<[string, unknown, Cells]>([
    ['telephone', 'record.?s', { s: 'NULL' }],
    ['telephone', { value: 'record.?s', when_empty: 'clear' }, { s: 'N/A' }],
    ['title', { en: 'record.?s' }, { s: 'None' }],
    ['title', { en: { value: 'record.?s', when_empty: 'clear' } }, { s: '-' }],
    ['roles', 'record.?l', { l: ['None'] }],
    ['tags', { unit: 'record.?s' }, { s: 'k. A.' }],
    ['nationality', { en: 'record.?s' }, { s: 'ikke oppgitt' }],
    ['place_of_residence', 'record.?s', { s: '(blank)' }],
  ])('keeps the value of the service: %s: %j with %j', (field, expression, cells) => {
    const result = mapUser({ fields: { [field]: expression } }, cells);
    expect(valuesOf(result)[field]).toBeUndefined();
    expect(result).toMatchObject({ kind: 'desired', heard: [{ from: expect.stringMatching(/^hr\./) }] });
  });

  it('keeps the office if it is one half of it', () => {
    const fields = { office: { country: 'record.?s', name: 'record.dept' } };
    expect(valuesOf(mapUser({ fields }, { s: 'N/A' })).office).toBeUndefined();
  });
});

describe('a word that may mean nothing', () => {
  it.each<[string, unknown, Cells, unknown]>([
    ['if the configuration says so', '"None"', {}, 'None'],
    ['if an expression chooses it', 'record.dept == "Oslo" ? "None" : "x"', {}, 'None'],
    ['if it may be a region', 'record.?s', { s: 'NA' }, 'NA'],
    ['within a text', 'record.?s', { s: 'None of these' }, 'None of these'],
    ['if it may be meant', 'record.?s', { s: 'Unknown' }, 'Unknown'],
  ])('is a value %s', (_, telephone, cells, value) => {
    expect(valuesOf(mapUser({ fields: { telephone } }, cells)).telephone).toBe(value);
  });

  it('is a value if its column lists the cells that are empty', () => {
    const s = (empty: readonly string[]) => ({ columns: { ...COLUMNS, s: { type: 'string', optional: true, empty } } });
    const telephone = (empty: readonly string[]) =>
      valuesOf(mapUser({ fields: { telephone: 'record.?s' }, hr: s(empty) }, { s: 'None' })).telephone;
    expect([telephone([]), telephone(['x'])]).toEqual(['None', 'None']);
  });

  it('is a value as a country', () => {
    const fields = { office: { country: 'record.?s', name: 'record.dept' } };
    expect(valuesOf(mapUser({ fields }, { s: 'NA' })).office).toEqual({ country: 'na', name: 'Oslo' });
  });
});

const COLUMNS = { id: 'string', email: 'string', country: 'string', dept: 'string' };

test.each([
  ['name', 'NULL NULL'],
  ['name', 'N/A'],
  ['upn', 'None'],
  ['external_unique_id', 'n/a'],
  ['email', 'NULL'],
])('holds a record whose %s is %s', (field, s) => {
  expect(mapUser({ fields: { [field]: 'record.?s' } }, { s })).toMatchObject({
    kind: 'held',
    hold: { code: 'SYNC_MAP_NOTHING', reason: expect.stringContaining(`${field} is "${s}", a word for nothing`) },
  });
});

test.each(['Jennifer Null', 'Nan', 'Tom', 'N. A. Berg', "N'Golo Kanté", 'Na Li', 'Linh Ng', 'None Berg'])(
  'accepts %s as a name',
  (s) => {
    expect(valuesOf(mapUser({ fields: { name: 'record.?s' } }, { s })).name).toBe(s);
  },
);

test.each([1900, 1901])('holds the year of birth %i and accepts 1902', (year) => {
  const born = (i: number) => mapUser({ fields: { born_year: 'record.?i' } }, { i: BigInt(i) });
  expect(born(year)).toMatchObject({ kind: 'held', hold: { code: 'SYNC_DATE_PLACEHOLDER' } });
  expect(valuesOf(born(1902)).born_year).toBe(1902);
});

test.each([
  ['email', 'berg\u200b@example.com'.replace('\u200b', '\u200e')],
  ['upn', 'bеrg@example.com'],
])('holds a record whose %s has a misleading character, and proposes the address', (field, s) => {
  expect(mapUser({ fields: { [field]: 'record.?s' } }, { s })).toMatchObject({
    kind: 'held',
    hold: { code: 'SYNC_ADDRESS_SIGN', means: { field, value: 'berg@example.com' } },
  });
});
