import fc from 'fast-check';
import { expect, it } from 'vitest';
import { haveCommonName, matchesPattern } from '../../../src/connectors/drop/file-names.js';

it.each([
  ['talent-*.csv', '*.csv', true],
  ['talent-*.csv', 'employees-*.csv', false],
  ['talent-*.csv', '*-r1.*', true],
  ['a?c', 'ab?', true],
  ['a?', 'a', false],
  ['*', '', true],
])('%s and %s', (a, b, expected) => {
  expect(haveCommonName(a, b)).toBe(expected);
});

it('is true exactly where there is such a name', () => {
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
