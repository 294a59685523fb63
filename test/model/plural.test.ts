import { expect, test } from 'vitest';
import { plural } from '../../src/model/plural.js';

test('uses the singular for one, and the plural for zero and for more', () => {
  expect([0, 1, 2].map((count) => plural(count, 'row'))).toEqual(['0 rows', '1 row', '2 rows']);
  expect(plural(2, 'entry', 'entries')).toBe('2 entries');
});
