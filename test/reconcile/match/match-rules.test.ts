import { describe, expect, it } from 'vitest';
import { type Comparison, type MatchKey, USUAL } from '../../../src/model/comparison.js';
import type { Values } from '../../../src/model/json.js';
import { correlate, findDoubt } from '../../../src/reconcile/match/correlate.js';
import { desiredOf, finderOf, matchBy, observedOf } from '../../samples.js';

function ruled(rule: Partial<Comparison>, ...fields: readonly string[]): MatchKey {
  return { fields, compare: { ...USUAL, ...rule } };
}

const EXACT = { case: 'exact', unicode: 'exact', whitespace: 'exact' } as const;
const people = [
  observedOf('u1', { external_unique_id: 'ab1', name: 'Kari Nord', born_year: 1980 }),
  observedOf('u2', { external_unique_id: 'AB1', name: 'KARI  NORD', born_year: 1990 }),
  observedOf('u3', { external_unique_id: 'X3', name: 'Ｏla Vik' }),
];
const find = finderOf(people);
const match = (values: Values, ...keys: readonly MatchKey[]) => correlate(desiredOf('k', values), keys, find);

describe('correlate by a declared rule', () => {
  it.each<[string, Values, MatchKey, object]>([
    ['both by the usual rule', { name: 'kari nord' }, ruled({}, 'name'), { candidates: ['u1', 'u2'] }],
    ['one of them by case', { name: 'Kari Nord' }, ruled({ case: 'exact' }, 'name'), { id: 'u1' }],
    ['one of them by blanks', { name: 'kari  nord' }, ruled({ whitespace: 'trim' }, 'name'), { id: 'u2' }],
    ['ids that differ in case', { external_unique_id: 'AB1' }, ruled(EXACT, 'external_unique_id'), { id: 'u2' }],
    [
      'nobody, but those who are alike',
      { name: 'kari nord' },
      ruled(EXACT, 'name'),
      { kind: 'none', setApart: ['u1', 'u2'] },
    ],
    ['no full width without it', { name: 'Ola Vik' }, ruled({}, 'name'), { kind: 'none', setApart: [] }],
    ['full width', { name: 'ola vik' }, ruled({ unicode: 'nfkc' }, 'name'), { id: 'u3' }],
    ['full width here', { name: 'Ｋari Nord' }, ruled({ unicode: 'nfkc', whitespace: 'trim' }, 'name'), { id: 'u1' }],
    [
      'full width, case exact',
      { name: 'ola vik' },
      ruled({ unicode: 'nfkc', case: 'exact' }, 'name'),
      { kind: 'none', setApart: ['u3'] },
    ],
    [
      'every field of an entry',
      { name: 'Kari Nord', born_year: 1990 },
      ruled(EXACT, 'name', 'born_year'),
      { setApart: ['u2'] },
    ],
    ['numbers', { name: 'KARI  NORD', born_year: 1990 }, ruled(EXACT, 'name', 'born_year'), { id: 'u2' }],
  ])('finds %s', (_, values, key, expected) => {
    expect(match(values, key)).toMatchObject(expected);
  });

  it('accepts an entry twice, the exact one first, and names the rule that matched', () => {
    const keys = [ruled({ case: 'exact' }, 'name'), ruled({ whitespace: 'trim' }, 'name')];
    expect(match({ name: 'Kari Nord' }, ...keys)).toMatchObject({ id: 'u1', by: 'name (case exact)' });
    expect(match({ name: 'kari nord' }, ...keys)).toMatchObject({ id: 'u1', by: 'name (whitespace trim)' });
  });

  it('finds a name in any language within a category', () => {
    const tag = (id: string, label: string) =>
      observedOf(id, { category_id: 'c1', values: { en: label } }, { entity: 'tags' });
    const desired = desiredOf('t', { category: 'unit', values: { no: 'North', en: 'Ｎord' } }, { entity: 'tags' });
    const tags = finderOf([tag('t1', 'north'), tag('t2', 'North'), tag('t3', 'Nord')]);
    const of = (key: MatchKey) => correlate(desired, [key], tags, () => 'c1');
    expect(of(ruled({ case: 'exact' }, 'values'))).toMatchObject({ id: 't2' });
    expect(of(ruled({ unicode: 'nfkc' }, 'values'))).toMatchObject({ candidates: ['t1', 't2', 't3'] });
  });
});

describe('findDoubt by a declared rule', () => {
  const [here, there] = [
    desiredOf('E1', { external_unique_id: 'ab1', email: 'a@x.test' }),
    observedOf('u1', { external_unique_id: 'AB1', email: 'A@x.test' }),
  ];

  it('takes numbers that differ by their own entry for two people', () => {
    expect(findDoubt(here, there, matchBy(['external_unique_id'], ['email']), 'email')).toBeNull();
    const keys = [ruled(EXACT, 'external_unique_id'), ruled({}, 'email')];
    expect(findDoubt(here, there, keys, 'email')).toBe('external_unique_id');
  });

  it('does not doubt the field by which it matched', () => {
    const keys = [ruled(EXACT, 'email'), ruled({}, 'email')];
    expect(findDoubt(here, there, keys, 'email')).toBeNull();
  });
});
