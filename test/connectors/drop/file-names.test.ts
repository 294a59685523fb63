import fc from 'fast-check';
import { expect, it } from 'vitest';
import { haveCommonName, lastingName, matchesPattern } from '../../../src/connectors/drop/file-names.js';

it.each([
  ['talent-*.csv', '*.csv', true],
  ['talent-*.csv', 'employees-*.csv', false],
  ['talent-*.csv', '*-r1.*', true],
  ['a?c', 'ab?', true],
  ['a?', 'a', false],
  ['*', '', true],
])('haveCommonName compares %s and %s', (a, b, expected) => {
  expect(haveCommonName(a, b)).toBe(expected);
});

it('haveCommonName is true exactly if a common name exists', () => {
  const names = ['', 'a', 'b'];
  for (let from = 1; names.length < 127; from++) names.push(`${names[from]}a`, `${names[from]}b`);
  const pattern = fc.array(fc.constantFrom('a', 'b', '*', '?'), { maxLength: 3 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(pattern, pattern, (a, b) => {
      const isThere = names.some((name) => matchesPattern(name, a) && matchesPattern(name, b));
      expect(haveCommonName(a, b)).toBe(isThere);
    }),
    { numRuns: 1_000 },
  );
});

it.each([
  ['users_* AM.csv', 'users_11_18_2026 3_42_11 PM.csv', true],
  ['users_*AM.csv', 'users_11_18_2026_3_42_11PM.csv', true],
  ['employees-*.csv', 'employees.csv', true],
  ['employees-*.csv', 'Employees 18 Nov 2026 (1).csv', true],
  ['report-100-*.csv', 'report-200-2026-11-18.csv', true],
  ['team.csv', 'steam.csv', false],
  ['employees-*.csv', 'employees-former-2026.csv', false],
  ['users_*.csv', 'users_2026.json', false],
])('lastingName compares %s and %s: %s', (pattern, name, expected) => {
  expect(lastingName(name) === lastingName(pattern)).toBe(expected);
});
