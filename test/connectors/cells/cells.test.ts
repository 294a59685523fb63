import { describe, expect, it } from 'vitest';
import { BadCell, compileCell } from '../../../src/connectors/cells/cells.js';
import { column } from '../fixtures.js';

const zone = 'Europe/Oslo';

describe('compileCell, reading text', () => {
  it.each([
    ['string', ' \u00a0 a  b\u00a0', 'a  b'],
    ['string', '007', '007'],
    ['int', '007', 7n],
    ['int', '-9223372036854775808', -(2n ** 63n)],
    ['number', '-1.50', -1.5],
    ['bool', 'Ja', true],
    ['bool', 'NEI', false],
    ['bool', '', false],
    ['list', 'a, b,,c ', ['a', 'b', 'c']],
    ['map', '{"a":{"b":[1,null]}}', { a: { b: [1, null] } }],
    ['string', '', ''],
  ] as const)('reads a %s from %j', (type, text, expected) => {
    expect(compileCell(column(type), zone).readText(text)).toEqual(expected);
  });

  it.each([
    ['int', '1.5'],
    ['int', '9223372036854775808'],
    ['int', '0x10'],
    ['number', '1,5'],
    ['number', '1e999'],
    ['bool', 'perhaps'],
    ['map', '[1]'],
    ['map', '{'],
    ['date', '2025-02-30'],
    ['date', '2025-02-30-08:00'],
    ['date', '/Date(1577836800001)/'],
    ['date', '/Date(999999999999999)/'],
    ['date', '/Date(soon)/'],
    ['date', '2025-01-01T10:00:00'],
    ['datetime', '2025-01-01T24:00:00'],
    ['int', ''],
    ['date', ''],
    ['list', ' '],
  ] as const)('rejects as %s: %j', (type, text) => {
    expect(compileCell(column(type), zone).readText(text)).toBeInstanceOf(BadCell);
  });

  it('reads an empty cell of an optional column as absent', () => {
    for (const type of ['string', 'int', 'bool', 'date', 'list'] as const) {
      const reader = compileCell(column(type, { optional: true }), zone);
      expect(reader.readText(' \u00a0')).toBeUndefined();
      expect(reader.readJson(null)).toBeUndefined();
    }
  });

  it('uses the configured words for true instead of the usual ones', () => {
    const reader = compileCell(column('bool', { trueWords: ['X', 'n'] }), zone);
    expect([reader.readText('x'), reader.readText('N'), reader.readText('no')]).toEqual([true, true, false]);
    expect(reader.readText('yes')).toBeInstanceOf(BadCell);
  });
});

describe('compileCell, invisible characters', () => {
  it.each([
    ['string', 'An\u200bna', 'Anna', 'hidden'],
    ['string', '\ufeff E1\u00ad0 \u2060', 'E10', 'hidden'],
    ['int', '4\u200b2', 42n, 'hidden'],
    ['list', 'a\u200b;b', ['a', 'b'], 'hidden'],
    // These characters belong to correct text.
    ['string', 'نمی\u200cخواهم', 'نمی\u200cخواهم', null],
    ['string', 'क्\u200dष', 'क्\u200dष', null],
    ['string', '👩\u200d💻', '👩\u200d💻', null],
    ['string', '\u200fאבג\u200e', '\u200fאבג\u200e', null],
    ['string', '営業１課', '営業１課', null],
    ['string', 'Ａ.', 'Ａ.', null],
  ] as const)('reads a %s from %j', (type, text, expected, kind) => {
    const reader = compileCell(column(type, type === 'list' ? { separator: ';' } : {}), zone);
    const read = reader.readText(text);
    expect([read, reader.noteOf(text, read)]).toEqual([expected, kind]);
  });

  it('removes them within lists and objects', () => {
    expect(compileCell(column('list'), zone).readJson(['a\u200b'])).toEqual(['a']);
    expect(compileCell(column('map'), zone).readJson({ a: ['b\u00ad'] })).toEqual({ a: ['b'] });
  });
});

describe('compileCell, words for an empty cell', () => {
  it.each([
    ['date', 'N/A'],
    ['date', '0000-00-00'],
    ['datetime', 'NULL'],
    ['int', 'None'],
    ['number', '-'],
  ] as const)('reads as an empty %s, with a note: %j', (type, text) => {
    const reader = compileCell(column(type), zone);
    expect([reader.readText(text), reader.noteOf(text, undefined)]).toEqual([undefined, 'nothing']);
    expect(compileCell(column(type, { empty: ['x'] }), zone).readText(text)).toBeInstanceOf(BadCell);
  });

  it.each([
    ['string', 'NULL', 'NULL'],
    ['list', 'None', ['None']],
  ] as const)('reads as %s, because the field decides its meaning: %j', (type, text, expected) => {
    const reader = compileCell(column(type), zone);
    expect([reader.readText(text), reader.noteOf(text, expected)]).toEqual([expected, null]);
  });
});

describe('compileCell, cells changed by a spreadsheet', () => {
  it.each([
    ['date', null, '45992', 'the number by which a spreadsheet stores 2025-12-01'],
    ['date', 'dd.MM.yyyy', '45992,5', 'the number by which a spreadsheet stores 2025-12-01'],
    ['date', 'dd.MM.yyyy', '1.3.2019', 'a date that lost its zeros in a spreadsheet'],
    ['date', 'ddMMyyyy', '1032019', 'a date that lost its zeros in a spreadsheet'],
    ['date', null, '4.6E+04', 'a number that a spreadsheet has shortened'],
    ['int', null, '1.00E+05', 'a number that a spreadsheet has shortened'],
  ] as const)('explains an unreadable %s in the format %s: %j', (type, format, text, made) => {
    const read = compileCell(column(type, { format }), zone).readText(text);
    expect(read).toBeInstanceOf(BadCell);
    expect((read as BadCell).found).toBe(`"${text}", ${made}`);
  });

  it.each([
    ['date', 'dd.MM.yyyy', 'soon'],
    ['date', null, '2019'],
    ['date', null, '2025-02-30'],
  ] as const)('blames no spreadsheet for a %s in the format %s: %j', (type, format, text) => {
    expect((compileCell(column(type, { format }), zone).readText(text) as BadCell).found).toBe(`"${text}"`);
  });

  it('explains a spreadsheet’s number in JSON', () => {
    expect((compileCell(column('date'), zone).readJson(45992) as BadCell).found).toContain('2025-12-01');
  });
});

describe('compileCell, dates', () => {
  it.each([
    ['date', null, '2025-01-15', '2025-01-14T23:00:00.000Z'],
    ['date', null, '2025-07-15', '2025-07-14T22:00:00.000Z'],
    ['date', null, '2025-03-30', '2025-03-29T23:00:00.000Z'],
    ['date', null, '2025-03-31', '2025-03-30T22:00:00.000Z'],
    ['date', null, '2025-10-27', '2025-10-26T23:00:00.000Z'],
    ['date', null, '2024-02-29T00:00:00Z', '2024-02-28T23:00:00.000Z'],
    ['date', 'dd.MM.yyyy', '01.12.2024', '2024-11-30T23:00:00.000Z'],
    ['date', null, '9999-12-31', '9999-12-30T23:00:00.000Z'],
    ['date', null, '2025-01-15-08:00', '2025-01-14T23:00:00.000Z'],
    ['date', null, '2025-01-15Z', '2025-01-14T23:00:00.000Z'],
    ['datetime', null, '2025-01-15-08:00', '2025-01-15T08:00:00.000Z'],
    ['date', null, '/Date(1577836800000)/', '2019-12-31T23:00:00.000Z'],
    ['date', null, '/Date(1577836800000+0000)/', '2019-12-31T23:00:00.000Z'],
    ['date', null, '/Date(1577833200000+0060)/', '2019-12-31T23:00:00.000Z'],
    ['date', null, '/Date(-86400000)/', '1969-12-30T23:00:00.000Z'],
    ['datetime', null, '/Date(1577836800500)/', '2020-01-01T00:00:00.500Z'],
    ['datetime', null, '/Date(1577836800000-0300)/', '2020-01-01T00:00:00.000Z'],
    ['datetime', null, '2025-01-15T10:30:00.123456Z', '2025-01-15T10:30:00.123Z'],
    ['datetime', null, '2025-01-15T10:30:00+05:30', '2025-01-15T05:00:00.000Z'],
    ['datetime', null, '2025-01-15 10:30', '2025-01-15T09:30:00.000Z'],
    // For the skipped hour and the repeated hour, the first of the two readings applies.
    ['datetime', null, '2025-03-30T02:30:00', '2025-03-30T01:30:00.000Z'],
    ['datetime', null, '2025-10-26T02:30:00', '2025-10-26T00:30:00.000Z'],
    ['date', 'd.M.yyyy', '1.3.2025', '2025-02-28T23:00:00.000Z'],
    ['date', 'M/d/yyyy', '12/31/2025', '2025-12-30T23:00:00.000Z'],
    ['date', 'dd-MMM-yyyy', '18-Mar-2025', '2025-03-17T23:00:00.000Z'],
    ['date', 'MMM d, yyyy', 'DEC 1, 2025', '2025-11-30T23:00:00.000Z'],
    ['datetime', 'd/M/yyyy H:mm', '9/10/2025 8:05', '2025-10-09T06:05:00.000Z'],
    ['datetime', "yyyy-MM-dd'T'HH''mm", "2025-01-15T10'30", '2025-01-15T09:30:00.000Z'],
  ] as const)('reads a %s in the format %s from %s', (type, format, text, expected) => {
    const value = compileCell(column(type, { format }), zone).readText(text);
    expect(value instanceof Date ? value.toISOString() : value).toBe(expected);
  });

  it('takes the first moment of a day that has no midnight', () => {
    const value = compileCell(column('date'), 'America/Sao_Paulo').readText('2018-11-04');
    expect(value).toEqual(new Date('2018-11-04T03:00:00Z'));
  });

  it('throws for a format it cannot follow, and rejects a date in another format', () => {
    for (const format of ['d.M.yy', 'dMyyyy', 'yyyyMd', 'd.dd.yyyy', 'MM/M/yyyy', 'MMMM yyyy']) {
      expect(() => compileCell(column('date', { format }), zone), format).toThrow(RangeError);
    }
    expect(compileCell(column('date', { format: 'dd.MM.yyyy' }), zone).readText('2025-01-01')).toBeInstanceOf(BadCell);
  });
});

describe('compileCell, reading JSON', () => {
  it.each([
    ['string', 42, '42'],
    ['string', ' x ', 'x'],
    ['int', 42, 42n],
    ['int', '42', 42n],
    ['number', 4.2, 4.2],
    ['bool', true, true],
    ['bool', 0, false],
    ['list', ['a ', 1, { b: null }], ['a', 1, { b: null }]],
    ['list', 'a,b', ['a', 'b']],
    ['map', { a: 1 }, { a: 1 }],
    ['date', '2025-01-15', new Date('2025-01-14T23:00:00Z')],
  ] as const)('reads a %s from %j', (type, value, expected) => {
    expect(compileCell(column(type), zone).readJson(value)).toEqual(expected);
  });

  it.each([
    ['string', true],
    ['string', { a: 1 }],
    ['string', 12345678901234567000],
    ['int', 1.5],
    ['number', true],
    ['bool', 2],
    ['date', 20250115],
    ['list', { a: 1 }],
    ['map', [1]],
    ['int', null],
  ] as const)('rejects as %s: %j', (type, value) => {
    expect(compileCell(column(type), zone).readJson(value)).toBeInstanceOf(BadCell);
  });
});
