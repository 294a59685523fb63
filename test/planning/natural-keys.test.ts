import { describe, expect, it } from 'vitest';
import { wereBothHere } from '../../src/planning/both-here.js';
import { findNatural, isNamed, naturalKeyOf } from '../../src/planning/natural-keys.js';
import type { Stores } from '../../src/store/open-stores.js';
import { changeOf, evidenceOf, linkTo, observedOf, openTestStores } from '../samples.js';

describe('natural keys of countries, offices, categories and tags', () => {
  function open(): Stores {
    const stores = openTestStores();
    linkTo(stores, 'offices', 'HQ', observedOf('o1', { country: 'no', name: 'Oslo' }, { entity: 'offices' }));
    stores.mirror.save(
      [
        observedOf('o2', { country: 'no', name: 'Bergen' }, { entity: 'offices' }),
        observedOf('g1', { external_unique_id: 'unit' }, { entity: 'tag_categories' }),
        observedOf('t1', { category_id: 'g1', external_unique_id: 'cloud' }, { entity: 'tags' }),
        observedOf('t2', { category_id: 'g9', external_unique_id: 'cloud' }, { entity: 'tags' }),
        observedOf('t3', { category_id: 'g1' }, { entity: 'tags' }),
        observedOf('c1', { code: 'no' }, { entity: 'countries' }),
      ],
      1,
    );
    return stores;
  }

  it('combine country and name, or category and tag, or use the id if there is no name', () => {
    const stores = open();
    const keyOf = (entity: 'offices' | 'tags' | 'countries' | 'tag_categories', id: string) => {
      const object = stores.mirror.get(entity, id);
      return object === null ? null : naturalKeyOf(stores, object);
    };
    expect(keyOf('offices', 'o1')?.toLowerCase()).toBe('no/oslo');
    expect(keyOf('tags', 't1')).toBe('unit/cloud');
    // Its category has no known external id.
    expect(keyOf('tags', 't2')).toBe('g9/cloud');
    expect(keyOf('tags', 't3')).toBe('t3');
    expect(keyOf('tag_categories', 'g1')).toBe('unit');
    expect(keyOf('countries', 'c1')).toBe('no');
    expect(naturalKeyOf(stores, observedOf('u1', { email: 'a@x.test' }))).toBe('u1');
    expect((['users', 'customers', 'projects', 'tags', 'offices'] as const).filter(isNamed)).toEqual([
      'tags',
      'offices',
    ]);
  });

  it('are found in full or by their last part, as a record if linked, else as an object', () => {
    const stores = open();
    for (const words of ['no/oslo', 'oslo'])
      expect(findNatural(stores, 'offices', words), words).toEqual({ records: ['HQ'], objects: [], derived: null });
    expect(findNatural(stores, 'offices', 'bergen')).toMatchObject({ records: [], objects: [{ id: 'o2' }] });
    expect(findNatural(stores, 'tags', 'cloud').objects.map(({ id }) => id)).toEqual(['t1', 't2']);
    expect(findNatural(stores, 'tags', 'unit/cloud').objects.map(({ id }) => id)).toEqual(['t1']);
    expect(findNatural(stores, 'offices', 'slo')).toEqual({ records: [], objects: [], derived: null });
    stores.mirror.save([observedOf('u1', { name: 'Oslo' })], 1);
    // People have no natural key, not even their id.
    expect(findNatural(stores, 'users', 'u1')).toEqual({ records: [], objects: [], derived: null });
    expect(findNatural(stores, 'users', 'oslo')).toEqual({ records: [], objects: [], derived: null });
  });

  it('are found for objects planned because a record names them, but not for planned records', () => {
    const stores = open();
    const named = { kind: 'referenced', text: 'users:E1 names it' } as const;
    stores.work.plan(changeOf('offices', 'se/Lund', { reason: named }));
    stores.work.plan(changeOf('offices', 'se/Malmö', { reason: named }));
    stores.work.plan(changeOf('offices', 'dk/lund'));
    expect(findNatural(stores, 'offices', 'lund')).toEqual({ records: [], objects: [], derived: ['se/Lund'] });
  });
});

describe('wereBothHere', () => {
  const at = (hour: number): string => `2026-11-20T0${hour}:00:00.000Z`;

  function open({ complete = true, source = 'hr' } = {}): Stores {
    const stores = openTestStores();
    stores.history.startRun({ id: 'r2', command: 'sync', startedAt: at(8), configDigest: 'c' });
    stores.history.recordRead('r2', evidenceOf({ source, complete }));
    for (const [key, id, run, hour] of [
      ['E1', 'u1', 'r1', 7],
      ['E2', 'u2', 'r2', 8],
    ] as const) {
      stores.links.link({ entity: 'users', sourceKey: key, serviceId: id, origin: 'created', run, at: at(hour) });
    }
    return stores;
  }
  const absent = (stores: Stores, key: string, hour: number): Stores => {
    const counted = { observations: 1, firstAt: at(hour), lastAt: at(hour), lastDelivery: 'd', context: 'c' };
    stores.history.saveAbsence('users', key, { kind: 'absent', ...counted });
    return stores;
  };

  it('returns true if the run that linked the second person read the complete source with nobody missing', () => {
    expect(wereBothHere(open(), 'hr', 'u1', 'u2')).toBe(true);
    expect(wereBothHere(open(), 'hr', 'u2', 'u1')).toBe(true);
    expect(wereBothHere(open(), 'idp', 'u1', 'u2')).toBe(false);
    expect(wereBothHere(open({ complete: false }), 'hr', 'u1', 'u2')).toBe(false);
    expect(wereBothHere(open(), null, 'u1', 'u2')).toBe(false);
    expect(wereBothHere(open(), 'hr', 'u1', 'u9')).toBe(false);
  });

  it('returns false if one of them was missing by then, but not if only since', () => {
    expect(wereBothHere(absent(open(), 'E1', 7), 'hr', 'u1', 'u2')).toBe(false);
    expect(wereBothHere(absent(open(), 'E1', 8), 'hr', 'u1', 'u2')).toBe(false);
    expect(wereBothHere(absent(open(), 'E1', 9), 'hr', 'u1', 'u2')).toBe(true);
  });
});
