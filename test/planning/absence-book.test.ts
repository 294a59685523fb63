import { describe, expect, it } from 'vitest';
import type { Entity } from '../../src/model/entity.js';
import type { GuardTrip } from '../../src/model/plan.js';
import type { ReadEvidence } from '../../src/model/source.js';
import { type AbsenceRun, createAbsenceBook } from '../../src/planning/absence-book.js';
import { observeAbsence } from '../../src/reconcile/leavers/absence.js';
import type { Stores } from '../../src/store/open-stores.js';
import { evidenceOf, openTestStores } from '../samples.js';
import { rowOf } from './world.js';

const DAYS = ['2026-11-18T12:00:00.000Z', '2026-11-19T12:00:00.000Z', '2026-11-20T12:00:00.000Z'] as const;
const RUN: AbsenceRun = { guards: [], only: null, stopped: [] };
const RULE = { when: null, afterMissingReads: 2, missingIntervalMs: 0, graceMs: 0 };

interface Day {
  readonly day?: 0 | 1 | 2;
  readonly read?: Partial<ReadEvidence>;
  readonly context?: string;
  readonly scope?: string;
}

/** The book of one day, and its verdict on a person whom that day's read does not show. */
function open(stores: Stores, { day = 0, read = {}, context = 'c', scope = 'keep' }: Day = {}) {
  const evidence = evidenceOf({
    delivery: `d${day}`,
    at: `/drop/d${day}.csv`,
    digest: `x${day}`,
    rows: 10 + day,
    ...read,
  });
  const now = DAYS[day];
  const book = createAbsenceBook({
    ...{ stores, now, scope, ruleOf: () => RULE, contextOf: (entity: Entity) => `${entity} ${context}` },
    evidenceOf: (entity) => (entity === 'users' ? evidence : null),
  });
  const miss = (key: string) => {
    const observed = observeAbsence(book.watch('users', key), evidence);
    book.countDue('users', observed);
    return book.note('users', key, observed);
  };
  const record = (run: string): void => {
    stores.history.startRun({ id: run, command: 'sync', startedAt: now, configDigest: 'c' });
    stores.history.recordRead(run, { ...evidence, readAt: now });
  };
  return { ...book, miss, record };
}

describe('missing people', () => {
  it('are counted over reads, and due from the day of their first absence', () => {
    const stores = openTestStores();
    const first = open(stores);
    expect(first.miss('E1')).toMatchObject({ due: false, since: DAYS[0] });
    first.save(RUN);
    expect(open(stores, { day: 1 }).miss('E1')).toMatchObject({ due: true, since: DAYS[0] });
  });

  it('are marked if missing since an edit of the configuration, and get no date from a read that proves nothing', () => {
    const stores = openTestStores();
    open(stores).save(RUN);
    expect(open(stores, { day: 1 }).miss('E1')).not.toHaveProperty('sinceEdit');
    expect(open(stores, { day: 1, context: 'edited' }).miss('E1')).toMatchObject({ sinceEdit: true, since: DAYS[1] });
    const cut = open(stores, { day: 1, read: { complete: false } }).miss('E1');
    expect(cut).toEqual({ due: false, text: 'not proven: the read is not complete' });
  });

  it('are proven missing by the reads since the first absence among those who are due', () => {
    const stores = openTestStores();
    const first = open(stores);
    expect(first.proof()).toBeNull();
    for (const key of ['E1', 'E2']) first.miss(key);
    first.record('r0');
    first.save(RUN);
    const second = open(stores, { day: 1 });
    second.miss('E3');
    second.record('r1');
    second.save(RUN);
    const third = open(stores, { day: 2 });
    for (const key of ['E3', 'E2', 'E1']) third.miss(key);
    third.miss('E9');
    expect(third.proof()).toEqual([
      {
        ...{ entity: 'users', count: 3, source: 'hr' },
        reads: [
          { at: '/drop/d0.csv', read_at: DAYS[0], rows: 10, digest: 'x0' },
          { at: '/drop/d1.csv', read_at: DAYS[1], rows: 11, digest: 'x1' },
          { at: '/drop/d2.csv', read_at: null, rows: 12, digest: 'x2' },
        ],
      },
    ]);
    third.forget('users');
    expect(third.proof()).toBeNull();
  });

  it('are not proven missing by the same delivery read twice, but by a live read', () => {
    const readsOf = (kind: ReadEvidence['kind']) => {
      const stores = openTestStores();
      const read = { kind, delivery: 'same' } as const;
      stores.history.saveAbsence('users', 'E1', {
        ...{
          kind: 'absent',
          observations: 2,
          firstAt: DAYS[0],
          lastAt: DAYS[0],
          lastDelivery: 'd',
          context: 'users c',
        },
      });
      open(stores, { read }).record('r0');
      const book = open(stores, { day: 1, read });
      book.miss('E1');
      return (book.proof() as readonly { readonly reads: readonly unknown[] }[])[0]?.reads.length;
    };
    expect([readsOf('drop'), readsOf('live')]).toEqual([1, 2]);
  });

  it('are forgotten when their row is back, or when the book forgets their entity', () => {
    const stores = openTestStores();
    const first = open(stores);
    for (const key of ['E1', 'E2']) first.miss(key);
    first.save(RUN);
    stores.work.stage(['E1', 'E2'].map((key) => ({ desired: rowOf(key), hash: 'h' })));
    const second = open(stores, { day: 1 });
    second.miss('E2');
    second.save(RUN);
    expect(stores.history.absentKeys('users')).toEqual(['E2']);
    const third = open(stores, { day: 2 });
    third.miss('E3');
    third.forget('users');
    third.save(RUN);
    expect(stores.history.absentKeys('users')).toEqual([]);
  });
});

describe('an edit of the configuration', () => {
  const isNew = (stores: Stores): boolean =>
    open(stores, { day: 2, context: 'edited' }).watch('users', 'E1').edited === true;

  it.each<readonly [what: string, day: Day, run: AbsenceRun, still: boolean]>([
    ['a complete read', {}, RUN, false],
    ['an incomplete read', { read: { complete: false } }, RUN, true],
    ['a run that left people alone', {}, { ...RUN, stopped: [{ entity: 'users' }] }, true],
    ['a run that left something else alone', {}, { ...RUN, stopped: [{ entity: 'customers' }] }, false],
  ])('is new until a run has judged it: %s', (_what, day, run, still) => {
    const stores = openTestStores();
    expect(isNew(stores)).toBe(false);
    open(stores).save(RUN);
    expect(isNew(stores)).toBe(true);
    open(stores, { day: 1, context: 'edited', ...day }).save(run);
    expect(isNew(stores)).toBe(still);
  });

  const trip = (guard: string): GuardTrip => ({
    guard,
    limit: 0,
    found: 1,
    held: 1,
    cause: 'real events',
    detail: 'x',
  });
  const waits = { ...RUN, guards: [trip('users.create'), trip('users.out_of_scope')] };
  it.each<readonly [what: string, run: AbsenceRun, still: boolean]>([
    ['nothing was held', RUN, false],
    ['something else was held', { ...RUN, guards: [trip('users.create')] }, false],
    ['people out of scope are held', waits, true],
    ['one object was asked for', { ...RUN, only: 'user:E1' }, true],
    ['people were left alone', { ...RUN, stopped: [{ entity: 'users' }] }, true],
  ])('asks about people out of scope until it was answered: %s', (_what, run, still) => {
    const stores = openTestStores();
    const asked = (): readonly string[] => open(stores, { scope: 'new' }).toAsk();
    expect(asked()).toEqual(['absent_since_edit', 'out_of_scope']);
    open(stores, { scope: 'new' }).save(run);
    expect(asked()).toEqual(still ? ['absent_since_edit', 'out_of_scope'] : ['absent_since_edit']);
  });
});
