import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GuardTrip } from '../../../src/model/plan.js';
import { holdLost } from '../../../src/planning/holds/hold-lost.js';
import { openStores } from '../../../src/store/open-stores.js';
import { changeOf, makeFolder, openTestStores } from '../../samples.js';

const NOW = '2026-11-20T12:00:00.000Z';
const OTHER = { guard: 'users.create', held: 1 } as GuardTrip;

/** The state folder of an account that lost its state.db. */
function lose() {
  const folder = makeFolder();
  openStores(folder).close();
  for (const name of ['state.db', 'state.db-wal', 'state.db-shm']) rmSync(join(folder, name), { force: true });
  const stores = openTestStores(folder);
  for (const key of ['E1', 'E2']) stores.work.plan(changeOf('users', key));
  return stores;
}

describe('a lost state', () => {
  it('holds everything and says how the loss was recognised', () => {
    const stores = lose();
    const [other, trip, ...more] = holdLost(stores, [OTHER], NOW);
    expect([other, more]).toEqual([OTHER, []]);
    expect(trip).toMatchObject({ guard: 'state.lost', limit: 0, found: 1, held: 2, cause: 'state lost' });
    expect(trip?.detail).toMatch(
      /^state\.db was missing, but mirror\.db shows that it existed: .*`talent-sync state restore`/,
    );
    expect(stores.work.count('applicable')).toBe(0);
  });

  it('holds nothing once a person approved, or if it was never lost', () => {
    const stores = lose();
    const approval = { id: 'a1', guard: 'state.lost', changeId: 'state.lost', who: 'ops', reason: 'x', at: NOW };
    stores.history.approve([{ ...approval, expiresAt: '2026-11-21T12:00:00.000Z' }]);
    expect(holdLost(stores, [OTHER], NOW)).toEqual([OTHER]);
    expect(stores.work.count('applicable')).toBe(2);
    expect(holdLost(openTestStores(), [], NOW)).toEqual([]);
  });
});
