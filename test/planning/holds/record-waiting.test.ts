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

/** The pending groups after a plan with these findings. */
function record(found: Partial<FoundWaiting> = {}, stores: Stores = openTestStores(), asked = NOW) {
  const plan = { staged: [], unread: [], stopped: [], guards: [], undoes: null, only: null };
  const named = { now: NOW, expires: LATER, plan: 'p1', timezone: 'Europe/Oslo' };
  for (const _step of recordWaiting(stores, { ...plan, ...named, ...found }));
  return stores.waiting.groups(asked).map(({ ids, scope, keys, rows, acknowledged, since, ...group }) => group);
}
const read = (more: object) => [stagedOf('users', readOf('hr', { evidence: evidenceOf(more) }))];

describe('the pending items of a plan', () => {
  it('include guards with the command that approves them, and a held source as one item', () => {
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
      'a source that is already listed as a guard',
      { staged: [stagedOf('users', readOf('hr', { evidence: null, error: held }))] },
      [],
    ],
    [
      'a source with unchanged content, by days in the configured zone',
      { staged: read({ staleSince: '2026-11-10T23:30:00.000Z' }) },
      [
        {
          ...{ ...doubt, code: 'stale', cause: 'The same content since 2026-11-11 (/drop/hr/employees-1.csv)' },
          resolve: 'Check that its export still runs.',
        },
      ],
    ],
    [
      'a source that is not complete',
      { staged: read({ complete: false, incompleteBecause: 'it is cut' }) },
      [{ ...doubt, code: 'incomplete', cause: 'Not proven complete: it is cut' }],
    ],
    [
      'a source without proof that it is complete',
      { staged: read({ complete: false }) },
      [{ ...doubt, cause: 'Not proven complete: nothing shows that it is complete' }],
    ],
    ['a source that delivered only its changes', { staged: read({ complete: false, partial: true }) }, []],
    [
      'a read that the service rejected',
      { unread: [{ area: 'cvs', leftAlone: [], error: refused }] },
      [{ ...doubt, entity: 'service', code: 'SYNC_SERVICE_FORBIDDEN', cause: 'no right', resolve: 'Give it.' }],
    ],
  ])('are right for %s', (_what, found, told) => {
    expect(record(found)).toEqual(told.map((one) => expect.objectContaining(one)));
  });

  it.each<readonly [code: string, field: string | undefined, kind: string]>([
    [CONFLICT, 'email', 'conflict'],
    ['SYNC_CHANGE_PAUSED', undefined, 'refused'],
    ['SYNC_UNDONE_PINNED', 'email', 'undone'],
    ['SYNC_MAP_VALUE', 'email', 'field'],
    ['SYNC_MAP_VALUE', undefined, 'record'],
  ])('include a hold %s of %s as %s', (code, field, kind) => {
    const stores = openTestStores();
    const named = field === undefined ? {} : { field };
    stores.work.hold({ entity: 'users', key: 'E1', place: 'p', code, reason: 'r', remedy: 'Correct it.', ...named });
    expect(record({}, stores)).toMatchObject([{ kind, entity: 'users', code, resolve: 'Correct it.', count: 1 }]);
  });

  it('replace those of the plan before, except what was left alone', () => {
    const stores = openTestStores();
    record({ guards: [TRIP, { ...TRIP, guard: 'offices.create', id: 'o1' }] }, stores);
    const stopped = [{ entity: 'users', error }] as const;
    expect(record({ stopped }, stores).map(({ entity }) => entity)).toEqual(['users.create']);
    expect(record({ plan: 'p2' }, stores)).toEqual([]);
    expect(readWaitingPlan(stores)).toBe('p2');
  });

  it('stay unchanged after a plan of one object', () => {
    const stores = openTestStores();
    record({ guards: [TRIP] }, stores);
    expect(record({ only: 'user:E1', plan: 'p2' }, stores)).toHaveLength(1);
    expect(readWaitingPlan(stores)).toBe('p1');
  });

  it('stay next to the others until the plan expires, if they are of an undo', () => {
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
    // Another plan of the same undo no longer finds it, whatever was left alone.
    expect(record({ ...undo, guards: [] }, stores)).toHaveLength(1);
    record({ ...undo, guards: [{ ...TRIP, guard: 'offices.create', id: 'o1' }] }, stores);
    expect(stores.waiting.groups(LATER).map(({ entity }) => entity)).toEqual(['users.create']);
  });
});

describe('approvals given before a plan', () => {
  it('are remembered with a plan of everything, and if that has their change', () => {
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

describe('the acknowledgement of a guard', () => {
  it('applies as long as the guard holds the same changes', () => {
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
