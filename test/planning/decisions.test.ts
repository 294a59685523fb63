import { describe, expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.js';
import type { Logger } from '../../src/base/logger.js';
import type { GuardTrip } from '../../src/model/plan.js';
import { describeDerived, describeGuards, describeReads, tellPlanned } from '../../src/planning/decisions.js';
import type { PlanHead } from '../../src/planning/saved/plan-file.js';
import { changeOf, linkTo, observedOf, openTestStores } from '../samples.js';
import { personOf, readOf, rowOf, stagedOf } from './world.js';

const error = new SyncError('SYNC_SOURCE_UNREADABLE', { message: 'no file of Jane', remedy: 'x' });

describe('the findings of the stages of a run, for the log', () => {
  it('list the reads by source', () => {
    const staged = [{ ...stagedOf('users', readOf('hr')), enriching: [readOf('idp', { evidence: null, error })] }];
    expect(describeReads({ staged, mirrorRead: { users: 'feed', usersRead: 3 } })).toEqual({
      sources: [
        { source: 'hr', rows: 100, rejected: 0, complete: true },
        { source: 'idp', error: 'SYNC_SOURCE_UNREADABLE' },
      ],
      service: { users: 'feed', usersRead: 3 },
    });
  });

  it('list the derived changes, what was left alone, and what guards hold', () => {
    const stores = openTestStores();
    for (const key of ['E1', 'E2']) stores.work.plan(changeOf('users', key));
    stores.work.withholdRefs(['users:E2'], 'users.create');
    const found = { stopped: [{ entity: 'offices', error }], unread: [{ area: 'cvs', leftAlone: [], error }] } as const;
    expect(describeDerived(stores, found)).toEqual({
      counts: { users: { create: 2 } },
      held: { records: 0, fields: 0, conflicts: 0 },
      left_alone: [{ entity: 'offices', code: 'SYNC_SOURCE_UNREADABLE' }],
      refused_reads: [{ area: 'cvs', code: 'SYNC_SOURCE_UNREADABLE' }],
    });
    const trip: GuardTrip = {
      guard: 'users.create',
      found: 2,
      limit: 1,
      held: 1,
      cause: 'real events',
      detail: 'Jane',
    };
    expect(describeGuards(stores, [trip])).toEqual({
      guards: [{ guard: 'users.create', found: 2, limit: 1, held: 1, cause: 'real events' }],
      ...{ waiting: 1, to_apply: { users: { create: 1 } } },
    });
  });
});

describe('the log of a plan', () => {
  function tell(isDebug: boolean, counts: PlanHead['summary']['counts'] = { users: { create: 1 } }) {
    const stores = openTestStores();
    const { work } = stores;
    work.plan(changeOf('users', 'E1', { fields: ['name'] }));
    work.plan(changeOf('users', 'E2'));
    work.withholdRefs(['users:E2'], 'users.create');
    work.hold({
      entity: 'users',
      key: 'E3',
      place: 'hr:4',
      code: 'SYNC_MAP_VALUE',
      field: 'email',
      reason: 'Jane',
      remedy: 'y',
    });
    for (const key of ['E4', 'E5']) linkTo(stores, 'users', key, observedOf(`u-${key}`, personOf(key)));
    work.stage([{ desired: rowOf('E4'), hash: 'h' }]);
    for (const _step of work.takeInSteps());
    const lines: (readonly [level: string, ...rest: readonly unknown[]])[] = [];
    const log = (level: string) => (what: object, text: string) => void lines.push([level, text, what]);
    const logger = {
      info: log('info'),
      debug: log('debug'),
      isLevelEnabled: (level: string) => isDebug && level === 'debug',
    } as unknown as Logger;
    const head = { plan: 'p1', summary: { counts, held: 1 } } as unknown as PlanHead;
    for (const _step of tellPlanned({ stores, logger }, head));
    return lines;
  }

  it('has an info line if anything is planned, else a debug line', () => {
    const planned = { plan: 'p1', counts: { users: { create: 1 } }, held: 1 };
    expect(tell(false)).toEqual([['info', 'planned', planned]]);
    expect(tell(false, {})).toEqual([['debug', 'planned', { ...planned, counts: {} }]]);
  });

  it('has a debug line per record, with place and change instead of names', () => {
    const [, ...decided] = tell(true);
    expect(decided.map(([level, text]) => `${level} ${String(text)}`)).toEqual(
      Array.from({ length: 5 }, () => 'debug decided'),
    );
    const change = { decision: 'create', entity: 'users', because: 'joined', place: 'hr employees.csv:2' };
    expect(decided.map(([, , what]) => what)).toEqual([
      { ...change, change: 'id-users-E1', fields: ['name'] },
      { ...change, change: 'id-users-E2', fields: [], held_by: 'users.create' },
      { decision: 'held', entity: 'users', because: 'SYNC_MAP_VALUE', field: 'email', place: 'hr:4', count: undefined },
      { decision: 'left', entity: 'users', because: 'both sides are equal', place: 'hr employees.csv:2' },
      {
        decision: 'left',
        entity: 'users',
        because: 'no row in a source, and its absence is not proven',
        place: undefined,
      },
    ]);
  });
});
