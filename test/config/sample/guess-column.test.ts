import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCandidates, createColumnGuesser, type Guess } from '../../../src/config/sample/guess-column.js';
import { writeColumn } from '../../../src/config/sample/yaml-text.js';
import { BadCell, compileCell } from '../../../src/connectors/cells/cells.js';
import type { Json } from '../../../src/model/json.js';
import { tries } from '../../depth.js';

const candidates = compileCandidates();

function guess(cells: readonly Json[], isText = false): Guess {
  const guesser = createColumnGuesser(candidates);
  for (const [index, cell] of cells.entries()) guesser.take(cell, index + 2);
  return guesser.finish(cells.length, isText);
}

function declare(cells: readonly Json[], isText = false): string | null {
  const { column } = guess(cells, isText);
  return column === null ? null : writeColumn(column);
}

describe('a column is proposed as', () => {
  it.each<[string, readonly Json[], string]>([
    ['text', ['Oslo', 'Bergen'], 'string'],
    ['text with its leading zeros', ['007', '042'], 'string'],
    ['text, if one cell has a leading zero', ['10', '042'], 'string'],
    ['text for a telephone number', ['+47 22 00 00 00', '+4722000001'], 'string'],
    ['text for very many digits', ['12345678901234567'], 'string'],
    ['text for a decimal comma', ['1,5', '2,25'], 'string'],
    ['a whole number', ['1980', '0', '-3'], 'int'],
    ['a number', ['80', '66.7'], 'number'],
    ['optional, if a cell is empty', ['1980', '  '], '{ type: int, optional: true }'],
    [
      'a whole number, with a word for nothing in some cells',
      ['1980', 'N/A'],
      '{ type: int, empty: ["N/A"], optional: true }',
    ],
    [
      'text, with a word for nothing in some cells',
      ['Senior', 'NULL', '-'],
      '{ type: string, empty: ["NULL", "-"], optional: true }',
    ],
    ['text, with a word for nothing in every cell', ['-', '-'], 'string'],
    ['yes and no', ['ja', 'nei', 'Ja'], 'bool'],
    ['yes and no, one of them empty', ['yes', 'no', ''], '{ type: bool, optional: true }'],
    ['an x for yes', ['x', '', 'X'], '{ type: bool, true: [x] }'],
    ['text, if `no` may be Norway', ['no', 'NO'], 'string'],
    ['text, if `no` is one of several countries', ['no', 'se', 'dk'], 'string'],
    ['a day in ISO 8601', ['2026-02-28', '2024-02-29'], 'date'],
    ['a day with points', ['01.02.2026', '03.04.2026'], '{ type: date, format: "dd.MM.yyyy" }'],
    ['a day before the month', ['01/02/2026', '13/02/2026'], '{ type: date, format: "dd/MM/yyyy" }'],
    ['a month before the day', ['01/02/2026', '02/13/2026'], '{ type: date, format: "MM/dd/yyyy" }'],
    ['the day first, if neither is proven', ['01/02/2026', '12/11/2026'], '{ type: date, format: "dd/MM/yyyy" }'],
    ['a day without zeros in front', ['1.3.2019', '12.10.2020'], '{ type: date, format: "d.M.yyyy" }'],
    ['a month without zeros before the day', ['3/1/2019', '12/31/2020'], '{ type: date, format: "M/d/yyyy" }'],
    ['a month by its name', ['18-Mar-2019', '01-OCT-2020'], '{ type: date, format: "dd-MMM-yyyy" }'],
    ['a month by its name first', ['Mar 8, 2019', 'Oct 31, 2020'], '{ type: date, format: "MMM d, yyyy" }'],
    ['a moment without zeros', ['3.1.2019 8:05', '31.12.2020 17:30'], '{ type: datetime, format: "d.M.yyyy H:mm" }'],
    ['text, if both are disproved', ['13/02/2026', '02/13/2026'], 'string'],
    ['text for a day that does not exist', ['30.02.2026'], 'string'],
    ['a day without anything between', ['20260228', '20251231'], '{ type: date, format: "yyyyMMdd" }'],
    ['a moment', ['2026-02-28T08:00:00Z', '2026-02-28T09:30:00+01:00'], 'datetime'],
    ['a moment with points', ['28.02.2026 08:00'], '{ type: datetime, format: "dd.MM.yyyy HH:mm" }'],
    ['a list', ['red;blue', 'red', 'blue;green;red'], 'list'],
    ['a list with bars', ['red|blue', 'red', 'blue|red'], '{ type: list, separator: "|" }'],
    ['text for addresses', ['1301 Hall; Oslo', '12 Road; Oslo', '4 Way; Top; Oslo'], 'string'],
    ['a list of JSON', [['a'], [], ['b', 'c']], 'list'],
    ['a map of JSON', [{ city: 'Oslo' }, null], '{ type: map, optional: true }'],
    ['JSON booleans', [true, true], 'bool'],
    ['JSON numbers', [1, 2.5], 'number'],
  ])('%s', (_, cells, expected) => {
    expect(declare(cells)).toBe(expected);
  });

  it('text if its meaning says so, and always with its zeros', () => {
    expect(declare(['1001', '1002'], true)).toBe('string');
  });

  it('nothing if no type reads every cell', () => {
    expect(guess(['a', { b: 1 }])).toMatchObject({ column: null, note: expect.stringContaining('no type') });
  });
});

describe('an open question', () => {
  it('names both ways to write a date', () => {
    expect(guess(['01/02/2026', '03/04/2026'])).toMatchObject({
      rival: { format: 'MM/dd/yyyy' },
      note: 'GUESS: dd/MM/yyyy, or MM/dd/yyyy: no day above 12 shows which',
    });
  });

  it('names the cells that do not fit the type of all the others', () => {
    const cells = [...Array.from({ length: 39 }, (_, index) => `${String((index % 28) + 1).padStart(2, '0')}.01.2026`)];
    expect(guess([...cells, 'unknown']).note).toBe('all but 1 of 40 cells are date, format dd.MM.yyyy; not line 41');
  });

  it('names a decimal comma', () => {
    expect(guess(['1,5', '2,25', '3'])).toMatchObject({
      column: { type: 'string' },
      note: expect.stringContaining('decimal comma'),
    });
  });

  it('names lists with commas, which may also be sentences', () => {
    expect(guess(['red, blue', 'red', 'blue, green, red'])).toMatchObject({
      column: { type: 'string' },
      note: 'perhaps lists: then declare { type: list, separator: "," }',
    });
    expect(guess(['Oslo, Norway', 'Lund, Sweden', 'Vejle, Denmark']).note).toBeNull();
  });

  it('names a column without any value', () => {
    expect(guess(['', ' '])).toMatchObject({ filled: 0, note: expect.stringContaining('empty in every row') });
  });
});

it('accepts as key only a column that is filled and unique in every row', () => {
  expect(
    [
      ['a', 'b'],
      ['a', 'a'],
      ['a', ''],
    ].map((cells) => guess(cells).isKey),
  ).toEqual([true, false, false]);
});

const day = fc.date({ min: new Date('1950-01-01'), max: new Date('2050-01-01'), noInvalidDate: true });
const pad = (value: number): string => String(value).padStart(2, '0');
const textCell = fc.oneof(
  fc.constantFrom('', ' ', 'ja', 'nei', 'yes', 'no', 'x', '1', '0', 'true', '007', '1,5', 'a;b', 'a;c;b', 'a|b'),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  day.map((date) => date.toISOString().slice(0, 10)),
  day.map((date) => `${pad(date.getUTCDate())}.${pad(date.getUTCMonth() + 1)}.${date.getUTCFullYear()}`),
  day.map((date) => `${pad(date.getUTCMonth() + 1)}/${pad(date.getUTCDate())}/${date.getUTCFullYear()}`),
  fc.string(),
);
const cells = fc.oneof(
  fc.array(textCell, { minLength: 1, maxLength: 60 }),
  // Columns of one kind, for which a type other than text is found.
  fc.tuple(fc.nat(7), fc.array(fc.nat(4000), { minLength: 1, maxLength: 60 })).map(([kind, numbers]) =>
    numbers.map((number) => {
      const date = new Date(number * 90_000_000).toISOString();
      const [year = '', month = '', dayOfMonth = ''] = date.slice(0, 10).split('-');
      const kinds = [
        String(number),
        `${number}.5`,
        date,
        `${dayOfMonth}.${month}.${year}`,
        `${month}/${dayOfMonth}/${year}`,
      ];
      return kinds[kind] ?? (number % 5 === 0 ? '' : number % 2 === 0 ? 'ja' : 'nei');
    }),
  ),
  fc.array(fc.jsonValue() as fc.Arbitrary<Json>, { minLength: 1, maxLength: 20 }),
);

it('proposes a column that reads every cell of its sample, as text or not', () => {
  const types = new Set<string>();
  fc.assert(
    fc.property(cells, fc.boolean(), (all, isText) => {
      const { column } = guess(all, isText);
      if (column === null) return;
      types.add(column.type);
      const { readJson } = compileCell(column, 'UTC');
      expect(all.filter((cell) => readJson(cell) instanceof BadCell)).toEqual([]);
    }),
    { numRuns: tries(2_500) },
  );
  // Otherwise the property would say little.
  expect([...types]).toEqual(expect.arrayContaining(['string', 'int', 'number', 'date', 'datetime', 'bool']));
});
