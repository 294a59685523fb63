import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCell } from '../../../src/connectors/cells/cells.js';
import { compileCellPrinter } from '../../../src/connectors/cells/print-cell.js';
import { column } from '../fixtures.js';

const OSLO = 'Europe/Oslo';
const day = { format: 'dd.MM.yyyy' };

describe('compileCellPrinter', () => {
  it.each([
    ['text', column('string'), '  Åse  ', 'Åse'],
    ['a number as text', column('string'), 7, '7'],
    ['leading zeros', column('int'), '007', '007'],
    ['a telephone number, untouched', column('string'), '+47 22 00 00 00', '+47 22 00 00 00'],
    ['a large number, without an exponent', column('number'), 1.5e21, '1500000000000000000000'],
    ['a small number, without an exponent', column('number'), -1.25e-7, '-0.000000125'],
    ['true in the words of the column', column('bool', { trueWords: ['ja', 'x'] }), true, 'ja'],
    ['false as the opposite of the word for true', column('bool', { trueWords: ['ja', 'x'] }), false, 'nei'],
    ['false as 0 if true is 1', column('bool', { trueWords: ['1'] }), false, '0'],
    ['false as false if its usual word means true', column('bool', { trueWords: ['nei'] }), false, 'false'],
    ['false without configured words', column('bool'), false, 'false'],
    ['another word for true', column('bool'), 'YES', 'true'],
    ['a day', column('date', day), '2026-01-31', '31.01.2026'],
    ['midnight in the time zone as a day', column('date', day), '2026-01-30T23:00:00.000Z', '31.01.2026'],
    ['a day that has the format already', column('date', day), '31.01.2026', '31.01.2026'],
    ['a day with the name of its month', column('date', { format: 'd-MMM-yyyy' }), '2026-03-08', '8-Mar-2026'],
    ['a moment as an ISO day', column('date'), '2026-07-01T22:00:00Z', '2026-07-02'],
    [
      'a moment',
      column('datetime', { format: "yyyy-MM-dd 'kl' HH:mm" }),
      '2026-07-01T22:30:00Z',
      '2026-07-02 kl 00:30',
    ],
    ['an ISO moment, with its offset', column('datetime'), '2026-10-25T01:30:00.250Z', '2026-10-25T02:30:00.250+01:00'],
    ['a list', column('list', { separator: '|' }), ['a', ' b ', '', 3], 'a|b|3'],
    ['a map', column('map'), { a: [1] }, '{"a":[1]}'],
    ['null', column('int'), null, ''],
    ['an empty list', column('list'), [], ''],
    ['text in an undeclared column', null, '31.01.2026', '31.01.2026'],
    ['a list in an undeclared column', null, ['a', 'b'], 'a;b'],
    ['an object in an undeclared column', null, { a: 1 }, '{"a":1}'],
    ['true in an undeclared column', null, true, 'true'],
  ])('prints %s', (_, declared, value, text) => {
    expect(compileCellPrinter(declared, OSLO).print(value)).toBe(text);
  });

  it.each([
    ['text where a number belongs', column('int'), 'many'],
    ['a fraction where a whole number belongs', column('int'), 1.5],
    ['a number too large for CEL', column('int'), 1e30],
    ['a boolean where a number belongs', column('number'), true],
    ['several values where one belongs', column('string'), ['a']],
    ['a word that is neither true nor false', column('bool'), 'perhaps'],
    ['a day that does not exist', column('date'), '2026-02-30'],
    ['a time of day in a date', column('date', day), '2026-01-31T12:00:00Z'],
    ['seconds that the format cannot show', column('datetime', { format: 'dd.MM.yyyy HH:mm' }), '2026-01-31T12:00:01Z'],
    [
      'the second of two hours that look the same',
      column('datetime', { format: 'dd.MM.yyyy HH:mm' }),
      '2026-10-25T01:30:00Z',
    ],
    ['a number where a date belongs', column('date'), 20260131],
    ['an item that would be read as two', column('list', { separator: ',' }), ['Smith, John']],
    ['items that would be split in the wrong place', column('list', { separator: '||' }), ['a|', 'b']],
    ['a list in a list', column('list'), [['a']]],
    ['text where an object belongs', column('map'), '{}'],
    ['a NUL character', column('string'), 'a\u0000b'],
    ['a NUL character in an undeclared column', null, 'a\u0000b'],
  ])('cannot print %s', (_, declared, value) => {
    expect(compileCellPrinter(declared, OSLO).print(value)).toBeNull();
  });

  it('prints numbers and moments so that they read back unchanged', () => {
    const number = compileCellPrinter(column('number'), OSLO);
    const moment = compileCellPrinter(column('datetime'), OSLO);
    const readNumber = compileCell(column('number'), OSLO);
    const readMoment = compileCell(column('datetime'), OSLO);
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.date({ min: new Date('1970-01-02'), max: new Date('2100-01-01'), noInvalidDate: true }),
        (value, date) => {
          const text = number.print(value) ?? '';
          expect(text).not.toContain('e');
          expect(readNumber.readText(text)).toBe(Object.is(value, -0) ? 0 : value);
          expect(readMoment.readText(moment.print(date.toISOString()) ?? '')).toEqual(date);
        },
      ),
    );
  });
});
