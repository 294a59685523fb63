import { describe, expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.js';
import type { GuardTrip } from '../../src/model/plan.js';
import type { StreamRead } from '../../src/planning/staging/read-streams.js';
import type { StagedEntity } from '../../src/planning/staging/stage-sources.js';
import {
  createSourceHolder,
  listHeldSources,
  noteHeldSources,
  readHeldSources,
} from '../../src/planning/suspicions/hold-sources.js';
import { loadSample, SAMPLE } from '../config/sample.js';
import { changeOf, desiredOf, evidenceOf, linkTo, observedOf, openTestStores } from '../samples.js';

const NOW = '2026-11-20T12:00:00.000Z';
const TRIP: GuardTrip = {
  guard: 'sources.hr.another_tenant:0123',
  limit: 0,
  found: 3,
  held: 3,
  cause: 'unknown',
  detail: 'x',
} as unknown as GuardTrip;

function suspect(trip: GuardTrip | undefined): SyncError {
  return new SyncError('SYNC_SOURCE_SUSPECT', {
    message: 'held',
    remedy: 'Look.',
    ...(trip === undefined ? {} : { trip }),
  });
}

const read = (source: string, error: SyncError | null = null): StreamRead =>
  ({ source, evidence: error === null ? evidenceOf({ source }) : null, error }) as StreamRead;
const staged = (
  entity: StagedEntity['entity'],
  deciding: readonly StreamRead[],
  enriching: readonly StreamRead[] = [],
) => ({ entity, deciding, enriching }) as unknown as StagedEntity;

function open(reads: readonly StagedEntity[]) {
  const stores = openTestStores();
  const holder = createSourceHolder(loadSample(SAMPLE), stores, { staged: reads, mappers: {}, now: NOW });
  return { stores, holder };
}

describe('a held source', () => {
  it('counts as not read and loses its rows, while others stay', () => {
    const { stores, holder } = open([staged('users', [read('hr'), read('idp')]), staged('customers', [read('crm')])]);
    for (const entity of ['users', 'customers'] as const)
      stores.work.stage([{ desired: desiredOf('K1', { external_unique_id: 'K1' }, { entity }), hash: 'h' }]);
    const error = suspect(TRIP);
    holder.hold([{ source: 'hr', error }]);
    const [users, customers] = holder.staged();
    expect(users?.deciding).toEqual([{ source: 'hr', evidence: null, error }, read('idp')]);
    expect(customers?.deciding).toEqual([read('crm')]);
    expect(stores.work.isStaged('users', 'K1')).toBe(false);
    expect(stores.work.isStaged('customers', 'K1')).toBe(true);
    holder.hold([]);
    expect(holder.staged()[1]).toEqual(customers);
  });

  it('is judged by the streams that decide existence, unless this very content is approved', () => {
    const judge = (approved?: string) => {
      const stores = openTestStores();
      linkTo(stores, 'customers', '007', observedOf('k1', {}, { entity: 'customers' }));
      stores.work.stage([
        {
          desired: desiredOf('7', {}, { entity: 'customers', place: { source: 'crm', at: '/c.csv', line: 2 } }),
          hash: 'h',
        },
      ]);
      const approval = { id: 'a1', guard: 'x', who: 'ops', reason: '', at: NOW, expiresAt: '2026-11-21T12:00:00.000Z' };
      if (approved !== undefined) stores.history.approve([{ ...approval, changeId: approved }]);
      const holder = createSourceHolder(loadSample(SAMPLE), stores, {
        staged: [staged('users', [read('hr')]), staged('customers', [read('crm')])],
        mappers: {},
        now: NOW,
      });
      const answer = (entity: 'users' | 'customers' | 'projects', when: 'staged' | 'derived') => {
        const steps = holder.judge(entity, when);
        for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
      };
      return [
        answer('users', 'staged'),
        answer('projects', 'staged'),
        answer('customers', 'derived'),
        answer('customers', 'staged'),
      ];
    };
    const [users, projects, derived, found] = judge();
    expect([users, projects, derived]).toEqual([null, null, null]);
    expect(found?.map(({ source, error }) => [source, error.place, error.trip?.held])).toEqual([
      ['crm', '/drop/hr/employees-1.csv', 100],
    ]);
    const guard = 'sources.crm.keys_reformatted:d1';
    expect(found?.[0].error).toMatchObject({
      message: expect.stringContaining(`It is pending as ${guard}.`),
      remedy: `Export the key column as text, in its original form. To use it: \`talent-sync approve --guard ${guard} --reason "…"\``,
    });
    expect(judge(guard)).toEqual([null, null, null, null]);
    expect(judge('sources.crm.keys_reformatted:d2')[3]).toHaveLength(1);
  });

  it('holds the changes derived from it before, by its guard', () => {
    const held = (error: SyncError | null) => {
      const { stores, holder } = open([
        staged('users', [read('idp'), read('hr', error)]),
        staged('customers', [read('crm')]),
      ]);
      linkTo(stores, 'users', 'E1', observedOf('u1'));
      stores.work.plan(changeOf('users', 'E1', { action: 'update', target: 'u1', fields: ['name'] }));
      stores.work.plan(changeOf('users', 'E2'));
      stores.work.plan(changeOf('customers', 'C1'));
      holder.holdEarlier();
      return [...stores.work.inOrder('all')].map(({ key, withheld }) => [key, withheld?.name ?? null]).toSorted();
    };
    expect(held(suspect(TRIP))).toEqual([
      ['C1', null],
      ['E1', TRIP.guard],
      ['E2', TRIP.guard],
    ]);
    for (const error of [null, suspect(undefined)])
      expect(held(error).map(([, guard]) => guard)).toEqual([null, null, null]);
  });

  it('is listed once, whatever depends on it, and is remembered', () => {
    const { stores } = open([]);
    const error = suspect(TRIP);
    const reads = [
      staged('users', [read('hr', error)], [read('hr', error)]),
      staged('offices', [read('hr', suspect(undefined))]),
    ];
    expect(listHeldSources(reads)).toEqual([TRIP]);
    expect(readHeldSources(stores)).toEqual([]);
    noteHeldSources(stores, reads);
    expect(readHeldSources(stores)).toEqual([TRIP]);
  });
});
