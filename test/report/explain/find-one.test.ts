import { describe, expect, it } from 'vitest';
import { findOne } from '../../../src/report/explain/find-one.js';
import { catchError, desiredOf, linkTo, observedOf, openTestStores } from '../../samples.js';

/** E1's account has the key of another record as its external id. Keys differ only in capitals, or contain others. */
function open() {
  const stores = openTestStores();
  linkTo(stores, 'users', 'E1', observedOf('u1', { email: 'one@x.test', external_unique_id: 'E2', name: 'Ann Berg' }));
  const rows = { E2: 'two@x.test', e3: 'three@x.test', E3: 'four@x.test', E30: 'five@x.test' };
  for (const [key, email] of Object.entries(rows))
    stores.work.stage([{ desired: desiredOf(key, { email, name: 'Bo Berg' }), hash: email }]);
  // E4 is in no source any more, but part of the key of E40 and of the name of E41.
  for (const key of ['E4', 'E40']) linkTo(stores, 'users', key, observedOf(`u-${key}`, { email: `${key}@y.test` }));
  return (asked: string, isVeiled = false) =>
    findOne(stores, 'users', { words: asked.toLowerCase(), asked, isVeiled }).key;
}

describe('the object to explain', () => {
  it.each([
    ['its key, although another account has the key as its external id', 'E2', 'E2'],
    ['its key in other capitals', 'e2', 'E2'],
    ['its key, if another key differs only in capitals', 'e3', 'e3'],
    ['the other one of these keys', 'E3', 'E3'],
    ['its key, although another key begins with it', 'E4', 'E4'],
    ['its address', 'one@x.test', 'E1'],
  ])('is found by %s', (_what, asked, key) => {
    expect(open()(asked)).toBe(key);
  });

  it('is found by its key among pseudonyms', () => {
    expect(open()('E2', true)).toBe('E2');
  });

  it('is not found by a name that several have; each key that is named works', () => {
    const find = open();
    const { remedy = '', problems = [] } = catchError(() => find('Bo Berg'));
    expect(problems.map(({ place }) => place)).toEqual(['E2', 'E3', 'e3', 'E30']);
    expect(remedy).toBe('Ask by key: `talent-sync explain user E2`');
    for (const { place = '' } of problems) expect(find(place)).toBe(place);
  });
});
