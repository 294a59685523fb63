import { expect, it } from 'vitest';
import { findReferences } from '../../src/mirror/directory.js';
import { observedOf, openTestStores } from '../samples.js';

it('finds the id with exactly this spelling, else every id that differs only in case', () => {
  const { mirror } = openTestStores();
  const customer = (id: string, external: string) => ({
    ...observedOf(id, { external_unique_id: external }),
    entity: 'customers' as const,
  });
  mirror.save([customer('c1', 'a1B'), customer('c2', 'a1b'), customer('c3', 'Z9')], 1);
  const find = (word: string) => [...findReferences(mirror, 'customers', word)].sort();
  expect([find('a1B'), find('a1b'), find('A1B'), find('z9')]).toEqual([['c1'], ['c2'], ['c1', 'c2'], ['c3']]);
});
