import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadCell, compileCell } from '../../../src/connectors/cells/cells.js';
import { compileEncoder, compileSameness } from '../../../src/connectors/cells/encode-cell.js';
import type { Column } from '../../../src/model/column.js';
import type { Json } from '../../../src/model/json.js';
import { column } from '../fixtures.js';

const OSLO = 'Europe/Oslo';
const encode = (declared: Column, value: Json): Json | BadCell => compileEncoder(declared, OSLO)(value);

it.each<[string, Column, Json, Json]>([
  ['null as null', column('int'), null, null],
  ['text unchanged', column('string'), ' as it is ', ' as it is '],
  ['a number as text', column('string'), 42, '42'],
  ['an integer', column('int'), '0042', 42],
  ['an integer beyond 2^53 as text', column('int'), '9007199254740993', '9007199254740993'],
  ['a number', column('number'), '4.20', 4.2],
  ['a boolean', column('bool'), 'ja', true],
  ['a boolean with configured words', column('bool', { trueWords: ['x'] }), 'x', true],
  ['a day', column('date'), '2026-07-01', '2026-07-01'],
  [
    'a day in the configured format',
    column('date', { format: "dd.MM.yyyy 'o''clock'" }),
    '2026-07-01',
    "01.07.2026 o'clock",
  ],
  ['a day that has the format already', column('date', { format: 'dd.MM.yyyy' }), '01.07.2026', '01.07.2026'],
  ['midnight in the time zone as a day', column('date'), '2026-06-30T22:00:00Z', '2026-07-01'],
  ['a moment', column('datetime'), '2026-07-01T12:00:00+02:00', '2026-07-01T10:00:00.000Z'],
  ['a local time in the time zone', column('datetime'), '2026-07-01T12:00', '2026-07-01T10:00:00.000Z'],
  [
    'a time in the configured format',
    column('datetime', { format: 'yyyy-MM-dd HH:mm' }),
    '2026-01-01T10:00:00Z',
    '2026-01-01 11:00',
  ],
  ['a list', column('list'), ['a', 1], ['a', 1]],
  ['an object', column('map'), { a: null }, { a: null }],
])('encodes %s', (_, declared, value, encoded) => {
  expect(encode(declared, value)).toEqual(encoded);
});

it.each<[Column, Json]>([
  [column('string'), ['a']],
  [column('string'), 'a\u0000'],
  [column('int'), 4.2],
  [column('int'), ''],
  [column('number'), 'four'],
  [column('bool'), ''],
  [column('bool'), 'perhaps'],
  [column('date'), '2026-02-30'],
  [column('date'), 20260701],
  [column('date'), '2026-07-01T12:00:00Z'],
  [column('datetime', { format: 'yyyy-MM-dd' }), '2026-07-01T12:00:00Z'],
  [column('list'), 'a;b'],
  [column('map'), []],
])('rejects, for the column %j, the value %j', (declared, value) => {
  expect(encode(declared, value)).toBeInstanceOf(BadCell);
});

describe('encoded values', () => {
  const kinds = ['string', 'int', 'number', 'bool', 'date', 'datetime'] as const;
  const value = fc.oneof(
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  );

  it('can be read, and encode to themselves again', () => {
    fc.assert(
      fc.property(fc.constantFrom(...kinds), value, (kind, sent) => {
        const declared = column(kind);
        const encoded = encode(declared, sent);
        if (encoded instanceof BadCell) return;
        expect(compileCell(declared, OSLO).readJson(encoded)).not.toBeInstanceOf(BadCell);
        expect(encode(declared, encoded)).toEqual(encoded);
      }),
    );
  });

  it.each<[Column, Json, Json, boolean]>([
    [column('string'), 'a', 'a ', true],
    [column('string'), null, '', true],
    [column('string'), 'a', 'A', false],
    [column('number'), 4.2, '4.20', true],
    [column('datetime'), '2026-07-01T10:00:00Z', '2026-07-01T12:00:00+02:00', true],
    [column('list'), ['a'], ['b'], false],
    [column('list'), [1], null, false],
  ])('compares for the column %j: %j and %j are the same: %s', (declared, sent, came, same) => {
    expect(compileSameness(declared, OSLO)(sent, came)).toBe(same);
  });
});
