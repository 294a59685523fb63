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
  ['nothing empties', column('int'), null, null],
  ['a text', column('string'), ' as it is ', ' as it is '],
  ['a number as a text', column('string'), 42, '42'],
  ['a whole number', column('int'), '0042', 42],
  ['a whole number beyond 2^53', column('int'), '9007199254740993', '9007199254740993'],
  ['a number', column('number'), '4.20', 4.2],
  ['a flag', column('bool'), 'ja', true],
  ['a flag by words of its own', column('bool', { trueWords: ['x'] }), 'x', true],
  ['a day', column('date'), '2026-07-01', '2026-07-01'],
  ['a day in a format', column('date', { format: "dd.MM.yyyy 'o''clock'" }), '2026-07-01', "01.07.2026 o'clock"],
  ['a day in its own format already', column('date', { format: 'dd.MM.yyyy' }), '01.07.2026', '01.07.2026'],
  ['midnight in the zone', column('date'), '2026-06-30T22:00:00Z', '2026-07-01'],
  ['a moment', column('datetime'), '2026-07-01T12:00:00+02:00', '2026-07-01T10:00:00.000Z'],
  ['a time of the zone', column('datetime'), '2026-07-01T12:00', '2026-07-01T10:00:00.000Z'],
  [
    'a time in a format',
    column('datetime', { format: 'yyyy-MM-dd HH:mm' }),
    '2026-01-01T10:00:00Z',
    '2026-01-01 11:00',
  ],
  ['a list', column('list'), ['a', 1], ['a', 1]],
  ['an object', column('map'), { a: null }, { a: null }],
])('%s', (_, declared, value, encoded) => {
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
])('%j cannot hold %j', (declared, value) => {
  expect(encode(declared, value)).toBeInstanceOf(BadCell);
});

describe('whatever is written', () => {
  const kinds = ['string', 'int', 'number', 'bool', 'date', 'datetime'] as const;
  const value = fc.oneof(
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  );

  it('can be read, and is written again as it is', () => {
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
  ])('%j: %j and %j are the same: %s', (declared, sent, came, same) => {
    expect(compileSameness(declared, OSLO)(sent, came)).toBe(same);
  });
});
