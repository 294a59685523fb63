import { describe, expect, it } from 'vitest';
import { compileNameDate, sortByAge } from '../../../src/connectors/drop/newest.js';

const NAMES = ['e-31-12-2026.csv', 'e-01-01-2027.csv', 'e-latest.csv', 'e-30-12-2026.csv'];
const TIMES = new Map([
  ['e-30-12-2026.csv', 1],
  ['e-latest.csv', 2],
  ['e-01-01-2027.csv', 4],
  ['e-31-12-2026.csv', 3],
]);

describe('sortByAge', () => {
  it.each([
    ['name', ['e-01-01-2027.csv', 'e-30-12-2026.csv', 'e-31-12-2026.csv', 'e-latest.csv']],
    ['modified', ['e-30-12-2026.csv', 'e-latest.csv', 'e-31-12-2026.csv', 'e-01-01-2027.csv']],
    [{ date: 'dd-MM-yyyy' }, ['e-latest.csv', 'e-30-12-2026.csv', 'e-31-12-2026.csv', 'e-01-01-2027.csv']],
  ] as const)('sorts by %s', (newest, sorted) => {
    expect(sortByAge(NAMES, newest, TIMES)).toEqual(sorted);
  });

  it('sorts equal files by name', () => {
    expect(sortByAge(['b-2.csv', 'b-10.csv', 'a.csv'], 'modified', new Map())).toEqual([
      'a.csv',
      'b-2.csv',
      'b-10.csv',
    ]);
  });
});

describe('compileNameDate', () => {
  it.each([
    ['yyyyMMdd', 'hr_20270131_5.csv', '2027-01-31T00:00:00.000Z'],
    ['yyyyMMdd', 'hr_120270131.csv', null],
    ['dd.MM.yyyy', 'hr 31.02.2027 28.02.2027.csv', '2027-02-28T00:00:00.000Z'],
    ['dd.MM.yyyy', 'hr 31-01-2027.csv', null],
    ["yyyyMMdd'T'HHmm", 'hr-20270131T0930.csv', '2027-01-31T09:30:00.000Z'],
    ['MM-yyyy', 'hr-02-2027.csv', '2027-02-01T00:00:00.000Z'],
  ])('looks for a date in the format %s in %s', (format, name, time) => {
    const found = compileNameDate(format)(name);
    expect(found === null ? null : new Date(found).toISOString()).toBe(time);
  });
});
