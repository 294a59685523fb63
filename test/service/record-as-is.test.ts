import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readAsIs } from '../../src/service/record-as-is.js';
import { WireOffice, WireUser } from '../../src/service/wire.js';

const plain = {
  id: 'u1',
  name: 'Jane',
  email: 'jane@x.test',
  born_year: 1980,
  title: { en: 'Chief', no: 'Sjef' },
  name_multilang: {},
  place_of_residence: null,
  roles: ['consultant'],
  deactivated: false,
  deactivated_at: false,
  image: { url: null, thumb: { url: 'https://x.test/a.png' } },
};
const NAMES = [...Object.keys(plain), 'user', '_id', 'user_id', 'external_unique_id', 'role_allowed_tag_ids', 'upn'];
/** Values in every form, right and wrong, of some field. */
const values = fc.constantFrom<unknown>(
  ...['', 'x', ' ', '1980', 0, 1980, 19.5, true, false, null, [], ['a'], [1], {}, { en: 'x' }, { en: null }],
  ...[
    { en: 1 },
    { id: 'u2' },
    { url: 'x' },
    { url: 1 },
    { thumb: { url: 2 } },
    { thumb: null },
    Number.NaN,
    '2026-01-01',
  ],
);
const users = fc
  .dictionary(fc.constantFrom(...NAMES), values, { maxKeys: 3 })
  .map((odd): Record<string, unknown> => ({ ...plain, ...odd }));

it('reads a user without its schema only if the result is the same', () => {
  const asIs = readAsIs(WireUser);
  let shortcuts = 0;
  fc.assert(
    fc.property(users, (user) => {
      const read = asIs(structuredClone(user));
      if (read === undefined) return;
      shortcuts += 1;
      expect(read).toEqual(WireUser.parse(structuredClone(user)));
      expect(Object.keys(read).sort()).toEqual(Object.keys(WireUser.parse(user)).sort());
    }),
    { numRuns: 2_000 },
  );
  expect(shortcuts).toBeGreaterThan(100);
});

it('reads other records by their schema', () => {
  expect(readAsIs(WireOffice)({ id: 'o1', name: 'Oslo' })).toBeUndefined();
});
