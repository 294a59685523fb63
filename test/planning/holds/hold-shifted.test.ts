import { describe, expect, it } from 'vitest';
import { holdShifted } from '../../../src/planning/holds/hold-shifted.js';
import type { Stores } from '../../../src/store/open-stores.js';
import { changeOf, desiredOf, linkTo, observedOf, openTestStores } from '../../samples.js';

const NAMES = ['Ann', 'Bob', 'Eve', 'Kim'];

/** People whose newest rows have the name of the next person. */
function open({ changes = NAMES.length, leaver = -1, gone = -1 } = {}): Stores {
  const stores = openTestStores();
  for (const [at, name] of NAMES.entries()) {
    linkTo(stores, 'users', name, observedOf(`u-${name}`, { name }, { active: at !== gone }));
    const next = NAMES[(at + 1) % NAMES.length] ?? '';
    stores.work.stage([{ desired: desiredOf(name, { name: next }, { leaver: at === leaver }), hash: 'h' }]);
    if (at < changes)
      stores.work.plan(changeOf('users', name, { action: 'update', target: `u-${name}`, fields: ['name'] }));
  }
  stores.work.plan(changeOf('users', 'New'));
  return stores;
}
const hold = async (stores: Stores) => {
  const trips = await holdShifted(stores, 'c', async () => undefined);
  const held = [...stores.work.inOrder('all')].filter(({ withheld }) => withheld !== null);
  return { trips, held: held.map(({ key, withheld }) => `${key} ${withheld?.name}`).toSorted() };
};

describe('values that have slipped from row to row', () => {
  it('are held together, and nobody else is', async () => {
    const { trips, held } = await hold(open());
    expect(trips).toEqual([
      {
        ...{ guard: 'users.shifted', limit: 0, found: 4, held: 4, fields: ['name'], cause: 'values shifted' },
        detail:
          'people would get values that others among them have now: name (4); this looks like a column that was sorted alone, or a paste that is off by one row',
      },
    ]);
    expect(held).toEqual(NAMES.map((name) => `${name} users.shifted`));
  });

  it.each<readonly [why: string, stores: () => Stores]>([
    [
      'all of them are approved',
      () => {
        const stores = open();
        for (const name of NAMES) stores.work.approveId(`id-users-${name}`, 'a1');
        return stores;
      },
    ],
    ['only one row differs', () => open({ changes: 1 })],
    ['those in the middle leave', () => open({ leaver: 1, gone: 3 })],
  ])('are not held: %s', async (_why, stores) => {
    expect(await hold(stores())).toMatchObject({ trips: [], held: [] });
  });

  it('include a circle of addresses, instead of a hold per record', async () => {
    const stores = open({ changes: 0 });
    for (const key of NAMES)
      stores.work.hold({
        ...{ entity: 'users', key, place: 'hr:2', code: 'SYNC_VALUE_TAKEN', reason: 'x', remedy: 'y', field: 'email' },
      });
    const { trips } = await hold(stores);
    expect(trips).toMatchObject([{ found: 4, held: 4 }]);
    expect(stores.work.holdCount()).toBe(0);
  });
});
