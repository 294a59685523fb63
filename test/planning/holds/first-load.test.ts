import { describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import type { Failure } from '../../../src/model/failure.js';
import { limitsOf, noteFirstLoads } from '../../../src/planning/holds/first-load.js';
import type { StreamRead } from '../../../src/planning/staging/read-streams.js';
import type { Stores } from '../../../src/store/open-stores.js';
import { loadSample, SAMPLE } from '../../config/sample.js';
import { changeOf, evidenceOf, linkTo, observedOf, openTestStores } from '../../samples.js';
import { readOf, rowOf, stagedOf } from '../world.js';

const config = loadSample(`${SAMPLE}guards: { users: { reactivate: { max: 2 }, deactivate: { max: 1 } } }\n`);
const EARLY = ['reactivate', 'deactivate'];
const ALL = ['create', ...EARLY];
/** Those of these guards that are active. */
const limits = (stores: Stores, isUndo = false): readonly string[] =>
  Object.keys(limitsOf(config, stores, isUndo).users ?? {}).filter((name) => ALL.includes(name));

interface FirstLoad {
  readonly reads?: readonly StreamRead[];
  /** The records whose change was rejected. */
  readonly failed?: readonly Pick<Failure, 'entity' | 'key'>[];
  /** True if an active person was linked before. */
  readonly linked?: boolean;
  /** The keys of rows without an account. */
  readonly open?: readonly string[];
}

function load({ reads = [readOf('hr')], failed = [], linked = true, open = [] }: FirstLoad): Stores {
  const stores = openTestStores();
  if (linked) linkTo(stores, 'users', 'E1', observedOf('u1'));
  stores.work.stage(['E1', ...open].map((key) => ({ desired: rowOf(key), hash: 'h' })));
  for (const key of open) stores.work.plan(changeOf('users', key));
  noteFirstLoads(stores, [stagedOf('users', ...reads)], failed as readonly Failure[]);
  return stores;
}

describe('a limit for the time after the first load', () => {
  const pushed = readOf('idp', { evidence: evidenceOf({ kind: 'live', complete: false, partial: true }) });
  const cut = readOf('hr', { evidence: evidenceOf({ kind: 'live', complete: false }) });
  const bad = readOf('hr', { evidence: evidenceOf({ complete: false }) });
  const down = new SyncError('SYNC_SOURCE_UNREADABLE', { message: 'x', remedy: 'y' });

  it.each<readonly [when: string, load: FirstLoad, guards: readonly string[]]>([
    ['everybody delivered has an account', {}, ALL],
    ['nobody has an account yet', { linked: false }, EARLY],
    ['one person has no account yet', { open: ['E2'] }, EARLY],
    [
      'the service rejected the one person without an account',
      { open: ['E2'], failed: [{ entity: 'users', key: 'E2' }] },
      ALL,
    ],
    [
      'the service rejected something else with that key',
      { open: ['E2'], failed: [{ entity: 'offices', key: 'E2' }] },
      EARLY,
    ],
    ['the source failed', { reads: [readOf('hr', { evidence: null, error: down })] }, EARLY],
    ['a read stopped early', { reads: [cut] }, EARLY],
    ['a file has an unreadable row', { reads: [bad] }, ALL],
    ['an identity provider that pushes had nothing to create', { reads: [pushed] }, ALL],
    ['an identity provider that pushes had something to create', { reads: [pushed], open: ['E2'] }, EARLY],
  ])('starts to count or not: %s', (_when, first, guards) => {
    expect(limits(load(first)).toSorted()).toEqual(guards.toSorted());
  });

  it('keeps counting once the first load was over', () => {
    const stores = load({});
    noteFirstLoads(stores, [stagedOf('users', cut)], []);
    expect(limits(stores).toSorted()).toEqual(ALL.toSorted());
  });

  it('does not count people whom an undo reactivates', () => {
    expect(limits(load({}), true).toSorted()).toEqual(['create', 'deactivate']);
    expect(limitsOf({ ...config, guards: {} }, openTestStores(), true)).toEqual({});
  });
});
