import { describe, expect, it } from 'vitest';
import type { Values } from '../../../src/model/json.js';
import { keyValues } from '../../../src/model/observed.js';
import { linkTo, observedOf, openTestStores } from '../../samples.js';

const LONE = '\ud800';
/** More than fit on two pages. */
const PEOPLE = 1_100;

interface Searched {
  readonly values: Values;
  readonly linkedId: string | null;
}

function searched(values: Values, linkedId: string | null = null): Searched {
  return { values, linkedId };
}

const asIs = (record: Searched): Searched => record;

describe('the objects looked up for a page of records', () => {
  it.each<readonly [what: string, email: string, others: readonly string[]]>([
    ['in another case', 'Jane@Example.com', []],
    ['shared by two', 'both@example.com', ['u7']],
    ['with a character that ends other texts', 'a\0b@example.com', []],
    ['with half a pair', `${LONE}@example.com`, []],
    ['in quotes', '"o\'x"\\@example.com', []],
  ])('include for an address %s the same objects as a single lookup', (_what, email, others) => {
    const { mirror, objectsAhead } = openTestStores();
    const here = [observedOf('u9', { email }), ...others.map((id) => observedOf(id, { email }))];
    mirror.save([...here, observedOf('u1', { email: 'else@example.com' })], 1);
    const [value = ''] = keyValues(email);
    const alone = mirror.findIds('users', 'email', value);
    for (const _one of objectsAhead.inPages('users', [searched({ email })], asIs))
      expect(objectsAhead.ids('users', 'email', value)).toEqual(alone);
    expect(alone).toEqual([...others, 'u9']);
  });

  it('include all objects of many pages, with their values and links', () => {
    const stores = openTestStores();
    const { mirror, objectsAhead: ahead } = stores;
    const numbers = Array.from({ length: PEOPLE }, (_, index) => String(index));
    mirror.save(
      numbers.map((number) => observedOf(`u${number}`, { external_unique_id: number })),
      1,
    );
    linkTo(stores, 'users', 'E1099', observedOf('u1099', { external_unique_id: '1099' }));

    let seen = 0;
    for (const number of ahead.inPages('users', numbers, (one) => searched({ external_unique_id: one }))) {
      expect(ahead.ids('users', 'external_unique_id', number)).toEqual([`u${number}`]);
      const found = ahead.object('users', `u${number}`);
      expect(found?.object).toEqual(mirror.get('users', `u${number}`));
      expect(found?.linkedKey).toBe(number === '1099' ? 'E1099' : null);
      seen += 1;
    }
    expect(seen).toBe(PEOPLE);
  });

  it('leave out a key shared by thousands, so that each record looks it up itself', () => {
    const { mirror, objectsAhead: ahead } = openTestStores();
    const people = Array.from({ length: 5_001 }, (_, index) =>
      observedOf(`u${index}`, { born_year: 1980, name: index < 2 ? 'Jane' : `Joe ${index}` }),
    );
    mirror.save(people, 1);
    for (const _one of ahead.inPages('users', [searched({ born_year: 1980, name: 'Jane' })], asIs)) {
      expect(ahead.ids('users', 'born_year', '1980')).toBeUndefined();
      expect(ahead.ids('users', 'name', 'jane')).toEqual(['u0', 'u1']);
      expect(ahead.object('users', 'u0')).toBeUndefined();
    }
    expect(mirror.findIds('users', 'born_year', '1980')).toHaveLength(5_001);
  });

  it('include the object of a link, but nothing that no record of the page names', () => {
    const stores = openTestStores();
    const { objectsAhead: ahead } = stores;
    linkTo(stores, 'users', 'E1', observedOf('u1', { name: 'Jane' }));
    stores.mirror.save([observedOf('u2', { name: 'Joe' })], 1);
    const ask = () => [
      ahead.object('users', 'u1')?.linkedKey,
      ahead.object('users', 'u2'),
      ahead.object('offices', 'u1'),
      ahead.ids('users', 'name', 'joe'),
      ahead.ids('offices', 'name', 'jane'),
    ];
    for (const _one of ahead.inPages('users', [searched({ name: 'Jane' }, 'u1')], asIs))
      expect(ask()).toEqual(['E1', undefined, undefined, undefined, undefined]);
    expect(ask()).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });
});
