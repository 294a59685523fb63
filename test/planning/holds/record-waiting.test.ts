import { describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import { CONFLICT } from '../../../src/model/desired.js';
import type { GuardTrip } from '../../../src/model/plan.js';
import {
  type FoundWaiting,
  nameTrips,
  readApprovedBefore,
  readWaitingPlan,
  recordWaiting,
} from '../../../src/planning/holds/record-waiting.js';
import type { Stores } from '../../../src/store/open-stores.js';
import { changeOf, evidenceOf, openTestStores } from '../../samples.js';
import { NOW, readOf, stagedOf } from '../world.js';

const LATER = '2026-11-21T12:00:00.000Z';
const TRIP: GuardTrip = {
  guard: 'users.create',
  limit: 1,
  found: 3,
  held: 3,
  cause: 'real events',
  detail: 'x',
  id: 'g1',
};

/** What waits after a plan has found this. */
function record(found: Partial<FoundWaiting> = {}, stores: Stores = openTestStores(), asked = NOW) {
  const plan = { staged: [], unread: [], stopped: [], guards: [], undoes: null, only: null };
  const named = { now: NOW, expires: LATER, plan: 'p1', timezone: 'Europe/Oslo' };
  for (const _step of recordWaiting(stores, { ...plan, ...named, ...found }));
  return stores.waiting.groups(asked).map(({ ids, scope, keys, rows, acknowledged, since, ...group }) => group);
}
const read = (more: object) => [stagedOf('users', readOf('hr', { evidence: evidenceOf(more) }))];

describe('what a plan has found waiting', () => {
  it('guards with the command that approves them; a source that is held is one thing', () => {
    const source = { ...TRIP, guard: 'sources.hr.older_content:0123', id: 's1' };
    expect(record({ guards: [TRIP, source] })).toEqual([
      {
        ...{ kind: 'guard', entity: 'users.create', code: null, count: 3, cause: 'real events: x' },
        resolve: '`talent-sync approve --guard users.create --reason "…"`',
      },
      {
        ...{ kind: 'source', entity: source.guard, code: null, count: 1, cause: 'real events: x' },
        resolve: `\`talent-sync approve --guard ${source.guard} --reason "…"\``,
      },
    ]);
    expect(record({ guards: [{ ...TRIP, guard: 'state.lost' }] })).toMatchObject([{ kind: 'guard', count: 3 }]);
  });

  const error = new SyncError('SYNC_SOURCE_UNREADABLE', { message: 'no file', remedy: 'Deliver it.' });
  const held = new SyncError('SYNC_SOURCE_SUSPECT', { message: 'held', remedy: 'Look.', trip: TRIP });
  const refused = new SyncError('SYNC_SERVICE_FORBIDDEN', { message: 'no right', remedy: 'Give it.' });
  const doubt = { kind: 'source', entity: 'hr', count: 1 } as const;
  it.each<readonly [what: string, found: Partial<FoundWaiting>, told: readonly object[]]>([
    ['all is well', { staged: read({}) }, []],
    [
      'a source that failed',
      { staged: [stagedOf('users', readOf('hr', { evidence: null, error }))] },
      [{ ...doubt, code: 'SYNC_SOURCE_UNREADABLE', cause: 'no file', resolve: 'Deliver it.' }],
    ],
    [
      'one that waits as a guard, which has been said',
      { staged: [stagedOf('users', readOf('hr', { evidence: null, error: held }))] },
      [],
    ],
    [
      'one whose content has stayed the same, as days go in the zone',
      { staged: read({ staleSince: '2026-11-10T23:30:00.000Z' }) },
      [
        {
          ...{ ...doubt, code: 'stale', cause: 'The same content since 2026-11-11 (/drop/hr/employees-1.csv)' },
          resolve: 'See whether its export still runs.',
        },
      ],
    ],
    [
      'one that is not whole',
      { staged: read({ complete: false, incompleteBecause: 'it is cut' }) },
      [{ ...doubt, code: 'incomplete', cause: 'Not proven whole: it is cut' }],
    ],
    [
      'one that nobody knows to be whole',
      { staged: read({ complete: false }) },
      [{ ...doubt, cause: 'Not proven whole: nothing shows that it is whole' }],
    ],
    ['one that told its changes only', { staged: read({ complete: false, partial: true }) }, []],
    [
      'a read that the service refused',
      { unread: [{ area: 'cvs', leftAlone: [], error: refused }] },
      [{ ...doubt, entity: 'service', code: 'SYNC_SERVICE_FORBIDDEN', cause: 'no right', resolve: 'Give it.' }],
    ],
  ])('%s', (_what, found, told) => {
    expect(record(found)).toEqual(told.map((one) => expect.objectContaining(one)));
  });

  it.each<readonly [code: string, field: string | undefined, kind: string]>([
    [CONFLICT, 'email', 'conflict'],
    ['SYNC_CHANGE_PAUSED', undefined, 'refused'],
    ['SYNC_UNDONE_PINNED', 'email', 'undone'],
    ['SYNC_MAP_VALUE', 'email', 'field'],
    ['SYNC_MAP_VALUE', undefined, 'record'],
  ])('a hold %s of %s by its kind: %s', (code, field, kind) => {
    const stores = openTestStores();
    const named = field === undefined ? {} : { field };
    stores.work.hold({ entity: 'users', key: 'E1', place: 'p', code, reason: 'r', remedy: 'Correct it.', ...named });
    expect(record({}, stores)).toMatchObject([{ kind, entity: 'users', code, resolve: 'Correct it.', count: 1 }]);
  });

  it('takes the place of what the one before found; what was left alone waits on', () => {
    const stores = openTestStores();
    record({ guards: [TRIP, { ...TRIP, guard: 'offices.create', id: 'o1' }] }, stores);
    const stopped = [{ entity: 'users', error }] as const;
    expect(record({ stopped }, stores).map(({ entity }) => entity)).toEqual(['users.create']);
    expect(record({ plan: 'p2' }, stores)).toEqual([]);
    expect(readWaitingPlan(stores)).toBe('p2');
  });

  it('a plan of one object says nothing of the others', () => {
    const stores = openTestStores();
    record({ guards: [TRIP] }, stores);
    expect(record({ only: 'user:E1', plan: 'p2' }, stores)).toHaveLength(1);
    expect(readWaitingPlan(stores)).toBe('p1');
  });

  it('of an undo waits until the plan lapses, beside all else, with how it goes on', () => {
    const stores = openTestStores();
    record({ guards: [TRIP] }, stores);
    const undo = {
      undoes: { run: 'r1', reason: '' },
      plan: 'p2',
      staged: read({ complete: false }),
      stopped: [{ entity: 'offices', error }],
    } as const;
    const found = record({ ...undo, guards: [{ ...TRIP, guard: 'offices.create', id: 'o1' }] }, stores);
    expect(found.map(({ entity, resolve }) => [entity, resolve])).toEqual([
      ['users.create', '`talent-sync approve --guard users.create --reason "…"`'],
      ['offices.create', '`talent-sync approve p2 --guard offices.create --reason "…"`, then `talent-sync undo r1`'],
    ]);
    expect(readWaitingPlan(stores)).toBe('p1');
    // Another plan of the same undo finds it no more, whatever was left alone.
    expect(record({ ...undo, guards: [] }, stores)).toHaveLength(1);
    record({ ...undo, guards: [{ ...TRIP, guard: 'offices.create', id: 'o1' }] }, stores);
    expect(stores.waiting.groups(LATER).map(({ entity }) => entity)).toEqual(['users.create']);
  });
});

describe('what was approved when a plan was made', () => {
  it('is remembered of a plan of everything, with whether it is in there', () => {
    const stores = openTestStores();
    const change = changeOf('users', 'E1');
    stores.work.plan(change);
    const approval = { id: 'a1', guard: TRIP.guard, who: 'ann', reason: 'closed', at: NOW, expiresAt: LATER };
    stores.history.approve([change.id, 'gone'].map((changeId) => ({ ...approval, changeId })));
    record({ undoes: { run: 'r1', reason: '' } }, stores);
    record({ only: 'user:E1' }, stores);
    expect([...readApprovedBefore(stores)]).toEqual([]);
    record({}, stores);
    expect(Object.fromEntries(readApprovedBefore(stores))).toEqual({ [change.id]: true, gone: false });
  });
});

describe('a guard is acknowledged by what it holds', () => {
  it('and by another name as soon as it holds something else', () => {
    const stores = openTestStores();
    for (const key of ['E1', 'E2']) stores.work.plan(changeOf('users', key));
    stores.work.withholdRefs(['users:E1'], TRIP.guard);
    const [first] = nameTrips(stores, [TRIP], NOW);
    expect(first).toEqual({ ...TRIP, id: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const ack = { who: 'ops', reason: 'known', until: null, at: NOW };
    stores.acknowledgements.acknowledge({ hold: first?.id ?? '', entity: 'users', key: '', ...ack });
    expect(nameTrips(stores, [TRIP], NOW)).toEqual([{ ...first, acknowledged: ack }]);
    stores.work.withholdRefs(['users:E2'], TRIP.guard);
    const [moved] = nameTrips(stores, [TRIP], NOW);
    expect(moved?.id).not.toBe(first?.id);
    expect(moved).not.toHaveProperty('acknowledged');
  });
});
