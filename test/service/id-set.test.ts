import fc from 'fast-check';
import { expect, it } from 'vitest';
import { IdSet } from '../../src/service/id-set.js';

const hex = fc.stringMatching(/^[0-9a-f]{24}$/);
const few = fc.constantFrom(
  '0'.repeat(24),
  'f'.repeat(24),
  `${'0'.repeat(23)}1`,
  '',
  'A'.repeat(24),
  'u1',
  '0'.repeat(25),
);

it('contains an id from its first addition on, whatever its form', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(hex, few), { maxLength: 60 }), (ids) => {
      const [set, expected] = [new IdSet(), new Set<string>()];
      for (const id of [...ids, ...ids]) {
        expect(set.add(id)).toBe(!expected.has(id));
        expected.add(id);
      }
    }),
  );
});

it('keeps every id while it grows', () => {
  const idOf = (number: number): string => `a${number.toString(16).padStart(23, '0')}`;
  const set = new IdSet();
  for (let number = 0; number < 20_000; number += 1) expect(set.add(idOf(number))).toBe(true);
  for (let number = 0; number < 20_000; number += 1) expect(set.add(idOf(number))).toBe(false);
});
