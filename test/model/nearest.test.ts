import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nearestName } from '../../src/model/nearest.js';

const NAMES = ['email', 'external_unique_id', 'office', 'roles', 'telephone'];

it.each([
  ['emial', 'email'],
  ['e-mail', 'email'],
  ['External-Unique-ID', 'external_unique_id'],
  ['offices', 'office'],
  ['rols', 'roles'],
  ['zzz', null],
  ['', null],
])('finds for %s → %s', (name, nearest) => {
  expect(nearestName(name, NAMES)).toBe(nearest);
});

it('finds a name itself if it exists', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 }), (names) => {
      for (const name of names) expect(nearestName(name, names)).toBe(name);
    }),
  );
});
