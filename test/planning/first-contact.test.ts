import { describe, expect, it } from 'vitest';
import { adoptAndAgree } from '../../src/apply/adopt.js';
import { derivePlan } from '../../src/planning/derive-plan.js';
import { digestMapping } from '../../src/planning/pins.js';
import { compareInSteps } from '../../src/planning/understanding/compare-records.js';
import type { Stores } from '../../src/store/open-stores.js';
import { loadSample } from '../config/sample.js';
import { observedOf, openTestStores } from '../samples.js';
import { contextOf, NOW, personOf, readOf, rowOf, stagedOf, type World } from './world.js';

const config = loadSample();

/** Also with an office id, which both sides agree on in addition. */
const accountOf = (key: string, more = {}, object = {}) =>
  observedOf(`u-${key}`, { ...personOf(key), office_id: 'o1', country_id: 'c1', role: 'consultant', ...more }, object);

const WORLD: World = {
  config,
  staged: [stagedOf('users', readOf('hr'))],
  usersFresh: true,
  rows: [
    ...['equal', 'namesake', 'held', 'pinned', 'inactive', 'more'].map((key) => rowOf(key)),
    rowOf('differs', { name: 'Other' }),
    rowOf('caps', { email: 'CAPS@x.test' }),
    rowOf('less', { name: null }),
    rowOf('left', {}, { leaver: true }),
    rowOf('shared'),
    rowOf('shared too', personOf('shared')),
    rowOf('rival', personOf('equal'), { leaver: true }),
    rowOf('several'),
    rowOf('admin', { external_unique_id: null }),
    rowOf('new'),
    rowOf('ruler', { external_unique_id: null, email: 'boss@x.test', name: 'Bo Boss' }),
  ],
  mirror: [
    ...['equal', 'held', 'pinned', 'differs', 'caps', 'left', 'shared'].map((key) => accountOf(key)),
    accountOf('inactive', {}, { active: false }),
    accountOf('more', { telephone: '1', title: { en: 'Boss' } }),
    accountOf('less', { name: null }),
    accountOf('namesake', { external_unique_id: 'namesake' }),
    accountOf('several'),
    { ...accountOf('several', { email: 'another@x.test' }), id: 'u-several2' },
    accountOf('admin', { external_unique_id: null, role: 'internationalmanager', name: null }),
    accountOf('ruler', {
      ...{ external_unique_id: null, email: 'boss@x.test', name: 'Bo Boss', role: 'internationalmanager' },
    }),
    accountOf('stranger'),
  ],
};

/** All findings of a first contact, and the links that it stores. */
async function meet(isInBatches: boolean) {
  const stores = openTestStores();
  const { links } = stores;
  // Every pair is compared by itself if there is a link.
  const given: Stores = isInBatches
    ? stores
    : Object.create(stores, { links: { value: { ...links, count: () => 1 } } });
  const { context } = contextOf({ ...WORLD, stores: given });
  const { work } = stores;
  work.hold({ entity: 'users', key: 'held', place: '', code: 'SYNC_CELL_NOTE', reason: 'odd', remedy: 'look' });
  const mapping = digestMapping(config, 'users', 'name');
  stores.pins.pin([
    { entity: 'users', key: 'pinned', path: 'name', value: 'x', mapping, run: 'r0', at: NOW, undone: 'r0' },
  ]);
  const { contextOf: under } = await derivePlan(context);
  const account = { ...stores, entities: new Set(['users'] as const), isPartial: false };
  const steps = compareInSteps('users', config, work, account);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  const batches = work.equalCounts('users').reduce((sum, { count }) => sum + count, 0);
  const plan = [...work.inOrder('all')].map(({ id: _, ...change }) => change);
  const found = { plan, holds: [...work.holds()], adopted: work.adoptedBy('users'), read: step.value };
  await adoptAndAgree(stores, { run: 'r1', at: NOW, contextOf: under, pause: async () => undefined });
  const pairs = links.sample('users', 100);
  const strangers = work.strangers('users', 5);
  // The next run examines the same records again.
  work.reset();
  contextOf({ ...WORLD, stores });
  const pending = [...work.candidates('users', under('users'))].map(({ desired }) => desired.key);
  return { batches, findings: { ...found, pairs, pending, strangers } };
}

describe('first contact', () => {
  it('forgets the pairs of a run that was stopped', () => {
    const { work } = openTestStores();
    work.adoptEqual({ entity: 'users', key: 'E1', id: 'u1', by: 'email', values: { name: 'Kari' }, ids: {} });
    work.reset();
    work.dropClaimed('users');
    expect(work.equalCounts('users')).toEqual([]);
  });

  it('finds and stores the same whether equal pairs are adopted in batches or one by one', async () => {
    const [together, apart] = [await meet(true), await meet(false)];
    expect(together.findings).toEqual(apart.findings);
    expect(apart.batches).toBe(0);
    expect(together.batches).toBeGreaterThan(3);
    const linked = together.findings.pairs.map(({ sourceKey }) => sourceKey);
    expect(linked).toEqual(expect.arrayContaining(['equal', 'held', 'more', 'namesake']));
    expect(linked).not.toContain('shared');
    const equal = together.findings.pairs.find(({ sourceKey }) => sourceKey === 'equal');
    expect(equal).toMatchObject({ serviceId: 'u-equal', base: { ...personOf('equal'), office_id: 'o1' } });
  });
});
