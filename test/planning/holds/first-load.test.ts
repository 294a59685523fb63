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
/** Which of these guards count. */
const limits = (stores: Stores, isUndo = false): readonly string[] =>
  Object.keys(limitsOf(config, stores, isUndo).users ?? {}).filter((name) => ALL.includes(name));

interface FirstLoad {
  readonly reads?: readonly StreamRead[];
  /** Whose change was refused. */
  readonly failed?: readonly Pick<Failure, 'entity' | 'key'>[];
  /** Linked before: nobody, or somebody in use. */
  readonly linked?: boolean;
  /** Rows without an account. */
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

describe('a limit that is meant for what comes after the first load', () => {
  const pushed = readOf('idp', { evidence: evidenceOf({ kind: 'live', complete: false, partial: true }) });
  const cut = readOf('hr', { evidence: evidenceOf({ kind: 'live', complete: false }) });
  const bad = readOf('hr', { evidence: evidenceOf({ complete: false }) });
  const down = new SyncError('SYNC_SOURCE_UNREADABLE', { message: 'x', remedy: 'y' });

  it.each<readonly [when: string, load: FirstLoad, guards: readonly string[]]>([
    ['everybody who is delivered is there', {}, ALL],
    ['nobody is there yet', { linked: false }, EARLY],
    ['somebody is still to come', { open: ['E2'] }, EARLY],
    ['somebody was refused for their own sake', { open: ['E2'], failed: [{ entity: 'users', key: 'E2' }] }, ALL],
    ['something else of that key was refused', { open: ['E2'], failed: [{ entity: 'offices', key: 'E2' }] }, EARLY],
    ['the source failed', { reads: [readOf('hr', { evidence: null, error: down })] }, EARLY],
    ['a read stopped before the end', { reads: [cut] }, EARLY],
    ['a file has a row that cannot be read', { reads: [bad] }, ALL],
    ['an identity provider that pushes had nothing to create', { reads: [pushed] }, ALL],
    ['one that pushes had', { reads: [pushed], open: ['E2'] }, EARLY],
  ])('counts from then on: %s', (_when, first, guards) => {
    expect(limits(load(first)).toSorted()).toEqual(guards.toSorted());
  });

  it('stays: a first load that was over is not taken back', () => {
    const stores = load({});
    noteFirstLoads(stores, [stagedOf('users', cut)], []);
    expect(limits(stores).toSorted()).toEqual(ALL.toSorted());
  });

  it('what an undo makes active was active before: it is not counted', () => {
    expect(limits(load({}), true).toSorted()).toEqual(['create', 'deactivate']);
    expect(limitsOf({ ...config, guards: {} }, openTestStores(), true)).toEqual({});
  });
});
