import { expect, it } from 'vitest';
import { typed, typedName } from '../../src/model/typed.js';

it.each([
  ['E1', 'E1'],
  ['p1/e1', 'p1/e1'],
  ['Åse@example.com', 'Åse@example.com'],
  ['N 1', "'N 1'"],
  ['$HOME', "'$HOME'"],
  ["O'Hara", "'O'\\''Hara'"],
  ['', "''"],
])('quotes %j for a shell: %s', (word, shown) => {
  expect(typed(word)).toBe(shown);
});

it('names a record by its kind and key', () => {
  expect(typedName('users', 'E1')).toBe('user:E1');
  expect(typedName('tag_categories', 'A b')).toBe("'tag_category:A b'");
});
