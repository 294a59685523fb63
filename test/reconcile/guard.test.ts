import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACTIONS, ENTITIES } from '../../src/model/entity.js';
import {
  type ChangeNumbers,
  describeTrip,
  editedTrip,
  effectiveLimit,
  findExcess,
  findFieldExcess,
  judgeNumber,
  type Limit,
  withCount,
} from '../../src/reconcile/guard.js';
import { type CauseEvidence, nameCause } from '../../src/reconcile/guard-cause.js';

function numbersOf(numbers: Partial<ChangeNumbers>): ChangeNumbers {
  return {
    unapproved: () => 0,
    touched: () => new Map(),
    earlier: () => ({ changes: 0, runs: [] }),
    base: () => 100,
    ...numbers,
  };
}

const [DAY, WEEK] = [86_400_000, 7 * 86_400_000];

describe('judgeNumber: changes of earlier runs within a window', () => {
  const limit: Limit = { max: 3, percent: null, min: null, withinMs: DAY };
  const rows: readonly (readonly [
    what: string,
    kind: string,
    limit: Limit,
    inRun: number,
    earlier: Readonly<Record<number, number>>,
    found: readonly [found: number, limit: number, withinMs?: number] | null,
  ])[] = [
    ['goes through with this run and a day at the limit', 'update', limit, 2, { [DAY]: 1 }, null],
    ['trips above the limit of a day', 'update', limit, 2, { [DAY]: 2 }, [4, 3, DAY]],
    ['trips above the limit by this run alone', 'update', limit, 4, {}, [4, 3]],
    ['holds nothing if this run has no changes', 'update', limit, 0, { [DAY]: 9 }, null],
    ['counts each run alone without a window', 'update', { ...limit, withinMs: 0 }, 3, { [DAY]: 9, [WEEK]: 99 }, null],
    ['has no weekly limit for updates', 'update', limit, 1, { [WEEK]: 99 }, null],
    ...['deactivate', 'delete', 'relink'].flatMap(
      (kind) =>
        [
          ['allows three times as much in a week', kind, limit, 1, { [WEEK]: 8 }, null],
          ['trips above that in a week', kind, limit, 1, { [WEEK]: 9 }, [10, 9, WEEK]],
          ['ignores a week without a window', kind, { ...limit, withinMs: 0 }, 1, { [WEEK]: 9 }, null],
        ] as const,
    ),
  ];
  for (const [what, kind, given, inRun, earlier, found] of rows) {
    it(`${kind}: ${what}`, () => {
      const numbers = numbersOf({ earlier: (_scope, _what, ms) => ({ changes: earlier[ms] ?? 0, runs: ['r1'] }) });
      const excess = judgeNumber({ scope: 'users', what: kind, inRun }, given, numbers);
      const { found: count, limit: allowed, earlier: before } = excess ?? {};
      expect(excess === null ? null : [count, allowed, ...(before === undefined ? [] : [before.withinMs])]).toEqual(
        found,
      );
    });
  }

  it('says which runs the number comes from', () => {
    const tell = (guard: string, withinMs: number, runs: readonly string[]): string =>
      withCount(
        { guard, limit: 10, found: 14, earlier: { changes: 5, runs, withinMs } },
        { cause: 'real events', detail: 'x' },
      ).detail;
    expect(tell('users.deactivate', DAY, ['r2', 'r1'])).toBe(
      '14 would leave today: 9 in this run, 5 earlier today (runs r2, r1); 10 allowed; x',
    );
    expect(tell('users.delete', WEEK, ['r1'])).toBe(
      '14 would be deleted within 7 days: 9 in this run, 5 earlier (run r1); 10 allowed; x',
    );
    expect(tell('users.fields.title', 3_600_000, ['r5', 'r4', 'r3', 'r2', 'r1'])).toBe(
      '14 would change within 1 hour: 9 in this run, 5 earlier (runs r5, r4, r3 and 2 more); 10 allowed; x',
    );
  });
});

describe('effectiveLimit', () => {
  const rows: readonly (readonly [
    max: number | null,
    percent: number | null,
    min: number | null,
    linked: number,
    limit: number,
  ])[] = [
    [10, 2, 3, 100, 3], // 2 % are 2, the floor is 3
    [10, 2, 3, 400, 8],
    [10, 2, 3, 10_000, 10],
    [10, null, null, 0, 10],
    [null, 30, 20, 50, 20],
    [null, 30, 20, 100, 30],
    [null, 30, null, 1, 0],
    [null, 2.5, null, 199, 4], // rounded down
    [0, 100, 50, 100, 0], // `max` binds `min` too
    [null, null, 5, 100, Number.POSITIVE_INFINITY], // a floor alone limits nothing
    [null, null, null, 100, Number.POSITIVE_INFINITY],
  ];
  it.each([
    [60, 3],
    [300, 6],
    [3_000, 10],
    [30_000, 75],
  ])('combines 10 or 0.25 %, whichever is more, with 2 % or 3 of %i → %i', (linked, limit) => {
    expect(effectiveLimit({ max: 10, maxPercent: 0.25, percent: 2, min: 3 }, linked)).toBe(limit);
  });

  for (const [max, percent, min, linked, limit] of rows) {
    it(`max ${max}, ${percent} %, min ${min} of ${linked} → ${limit}`, () => {
      expect(effectiveLimit({ max, percent, min }, linked)).toBe(limit);
    });
  }
});

describe('findExcess', () => {
  const only = (wanted: string, count: number, linked = 100): ChangeNumbers =>
    numbersOf({ unapproved: (entity, action) => (`${entity}.${action}` === wanted ? count : 0), base: () => linked });

  it('releases a number at the limit, and trips above it', () => {
    const guards = { users: { deactivate: { max: 3, percent: null, min: null } } };
    expect(findExcess(guards, only('users.deactivate', 3))).toEqual([]);
    expect(findExcess(guards, only('users.deactivate', 4))).toEqual([
      { guard: 'users.deactivate', entity: 'users', limit: 3, found: 4 },
    ]);
  });

  it('ignores changes without a guard', () => {
    expect(findExcess({}, numbersOf({ unapproved: () => 1_000, base: () => 1 }))).toEqual([]);
    const guards = { users: { deactivate: { max: 0, percent: null, min: null } } };
    expect(findExcess(guards, only('users.update', 1_000, 1))).toEqual([]);
  });

  it('never releases more than the limit, for any numbers', () => {
    const limit: fc.Arbitrary<Limit> = fc.record({
      max: fc.option(fc.nat(50), { nil: null }),
      percent: fc.option(fc.double({ min: 0, max: 100, noNaN: true }), { nil: null }),
      min: fc.option(fc.nat(50), { nil: null }),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...ENTITIES),
        fc.constantFrom(...ACTIONS),
        limit,
        fc.nat(200),
        fc.nat(200),
        (entity, action, one, found, linked) => {
          const guards = { [entity]: { [action]: one } };
          const trips = findExcess(guards, only(`${entity}.${action}`, found, linked));
          const passes = trips.length === 0 ? found : 0;
          if (one.max !== null) expect(passes).toBeLessThanOrEqual(one.max);
          if (one.percent !== null)
            expect(passes).toBeLessThanOrEqual(Math.max((linked * one.percent) / 100, one.min ?? 0));
          if (one.max === null && one.percent === null) expect(trips).toEqual([]);
        },
      ),
    );
  });
});

describe('findFieldExcess', () => {
  const limit = (max: number): Limit => ({ max, percent: null, min: null });
  const rows: readonly (readonly [
    what: string,
    fields: Readonly<Record<string, Limit | null>>,
    touched: Readonly<Record<string, number>>,
    guards: readonly string[],
  ])[] = [
    ['gives a named field its own limit', { title: limit(3), '*': limit(9) }, { title: 4, email: 4 }, ['title']],
    ['gives any other field the limit of *', { title: limit(9), '*': limit(3) }, { title: 4, email: 4 }, ['email']],
    ['sets no limit for a field that is off, even if * has one', { title: null, '*': limit(0) }, { title: 99 }, []],
    ['counts only named fields without *', { title: limit(0) }, { email: 99 }, []],
    ['trips for several fields', { '*': limit(1) }, { title: 2, email: 2, name: 1 }, ['title', 'email']],
  ];
  for (const [what, fields, touched, guards] of rows) {
    it(what, () => {
      const found = findFieldExcess(
        { users: { fields } },
        numbersOf({ touched: (entity) => new Map(entity === 'users' ? Object.entries(touched) : []) }),
      );
      expect(found.map(({ guard, field }) => [guard, field])).toEqual(
        guards.map((field) => [`users.fields.${field}`, field]),
      );
    });
  }

  it('trips a limit of 50 % for 80 % of the titles', () => {
    const half: Limit = { max: null, percent: 50, min: 50 };
    const trips = (company: number, touched: number) =>
      findFieldExcess(
        { users: { fields: { '*': half } } },
        numbersOf({
          touched: (entity) => new Map(entity === 'users' ? [['title', touched]] : []),
          base: () => company,
        }),
      ).map(({ limit: allowed, found }) => [allowed, found]);
    expect(trips(1_000, 800)).toEqual([[500, 800]]);
    expect(trips(1_000, 500)).toEqual([]);
    expect(trips(40, 40)).toEqual([]); // the floor: a person can look through 50 people
  });
});

describe('nameCause: the most suspicious cause that explains the number', () => {
  const rows: readonly (readonly [found: number, evidence: CauseEvidence, cause: string, detail: string])[] = [
    [
      5,
      { configurationChanged: true, rowsBefore: 100, rowsNow: 10 },
      'configuration changed',
      'the configuration differs from that of the last applied run',
    ],
    [
      40,
      { configurationChanged: false, rowsBefore: 100, rowsNow: 60 },
      'source shrank',
      'the source shrank from 100 rows to 60',
    ],
    [
      40,
      { configurationChanged: false, rowsBefore: 100, rowsNow: 80 },
      'source shrank',
      'the source shrank from 100 rows to 80',
    ],
    [
      40,
      { configurationChanged: false, rowsBefore: 100, rowsNow: 81 },
      'real events',
      'the source is complete (100 rows before, 81 now) and the configuration unchanged',
    ],
    [
      40,
      { configurationChanged: false, rowsBefore: null, rowsNow: 10 },
      'real events',
      'the source is complete (10 rows) and the configuration unchanged',
    ],
    [
      40,
      { configurationChanged: false, rowsBefore: null, rowsNow: 20, notWhole: 'hr: 20 of 5000 rows came' },
      'real events',
      'the source was not read completely (20 rows; hr: 20 of 5000 rows came) and the configuration unchanged',
    ],
    [
      0,
      { configurationChanged: false, rowsBefore: 10, rowsNow: 20 },
      'real events',
      'the source is complete (10 rows before, 20 now) and the configuration unchanged',
    ],
  ];
  for (const [found, evidence, cause, detail] of rows) {
    it(`${found} with ${JSON.stringify(evidence)} → ${cause}`, () => {
      expect(nameCause(found, evidence)).toEqual({ cause, detail });
    });
  }
});

describe('nameCause while people are missing that the source had shown', () => {
  const missing = {
    count: 288,
    text: '288 of the 300 people seen on 3 November have been missing since `employees-002.csv`',
  };
  const same = { configurationChanged: false, rowsBefore: 12, rowsNow: 12, missing };
  it.each<[guard: string, found: number, evidence: CauseEvidence, cause: string]>([
    ['users.deactivate', 264, same, 'source shrank'],
    ['users.delete', 288, same, 'source shrank'],
    // They explain less than half of the number.
    ['users.deactivate', 577, same, 'real events'],
    // Nobody is updated because others are missing.
    ['users.update', 12, same, 'real events'],
    ['users.deactivate', 264, { ...same, configurationChanged: true }, 'configuration changed'],
  ])('names the cause for %s of %i', (guard, found, evidence, cause) => {
    const named = nameCause(found, evidence, guard);
    expect(named.cause).toBe(cause);
    if (cause === 'source shrank') expect(named.detail).toBe(missing.text);
  });
});

describe('nameCause with a preview: the same data under the earlier configuration', () => {
  const paths = ['users.fields.title.en'];
  const edited = (before: number | null, more: Partial<CauseEvidence> = {}): CauseEvidence => ({
    configurationChanged: true,
    rowsBefore: 500,
    rowsNow: 500,
    preview: { before, now: 412, paths, run: 'r1', ...(before === null ? { unknown: 'hr is gone' } : {}) },
    ...more,
  });
  const rows: readonly (readonly [evidence: CauseEvidence, cause: string, detail: string])[] = [
    [
      edited(3),
      'configuration changed',
      'under the configuration of run r1 it would be 3, now 412: 409 of them come from the change of users.fields.title.en',
    ],
    [
      edited(0),
      'configuration changed',
      'under the configuration of run r1 it would be 0, now 412: all of them come from the change of users.fields.title.en',
    ],
    [
      edited(null),
      'configuration changed',
      'users.fields.title.en changed since run r1; the effect of the earlier configuration is unknown: hr is gone',
    ],
    [
      edited(400),
      'real events',
      'the source is complete (500 rows before, 500 now); users.fields.title.en changed since run r1, but under the configuration of that run it would be 400',
    ],
    [
      edited(412, { rowsNow: 100 }),
      'source shrank',
      'the source shrank from 500 rows to 100; users.fields.title.en changed since run r1, but under the configuration of that run it would be 412',
    ],
  ];
  for (const [evidence, cause, detail] of rows) {
    it(`${evidence.preview?.before} before → ${cause}`, () => {
      expect(nameCause(412, evidence)).toEqual({ cause, detail, preview: evidence.preview });
    });
  }

  it('names four paths and counts the others', () => {
    const preview = { before: 0, now: 9, paths: ['a', 'b', 'c', 'd', 'e', 'f'], run: null };
    const { detail } = nameCause(9, { ...edited(0), preview });
    expect(detail).toContain('the change of a, b, c, d and 2 more');
    expect(detail).toContain('of the last applied run');
  });
});

describe('an excess with its cause', () => {
  const excess = { guard: 'users.update', entity: 'users', limit: 3, found: 9 } as const;
  const told = { guard: 'users.update', limit: 3, found: 9 };
  const evidence: CauseEvidence = { configurationChanged: true, rowsBefore: 9, rowsNow: 9 };
  const preview = { before: 8, now: 9, paths: [], run: 'r1' };

  it('is an undo in an undo run, whatever the numbers', () => {
    expect(describeTrip(excess, { ...evidence, undoes: 'r7' })).toEqual({
      ...told,
      cause: 'undo',
      detail: 'the changes of run r7 are undone',
    });
  });

  it('is the edit if at least half of the number is due to it', () => {
    const causeOf = (before: number) => describeTrip(excess, { ...evidence, preview: { ...preview, before } }).cause;
    expect([causeOf(4), causeOf(5)]).toEqual(['configuration changed', 'real events']);
    expect(describeTrip({ ...excess, found: 8 }, { ...evidence, preview: { ...preview, before: 4 } }).cause).toBe(
      'configuration changed',
    );
  });

  it('includes the number without the edit', () => {
    expect(editedTrip(excess, 'the scope was edited', evidence)).toEqual({
      ...told,
      cause: 'configuration changed',
      detail: 'the scope was edited',
    });
    expect(editedTrip(excess, 'the scope was edited', { ...evidence, preview })).toEqual({
      ...told,
      cause: 'configuration changed',
      detail:
        'the scope was edited; under the configuration of run r1 it would be 8, now 9: 1 of them come from the change of the configuration',
      preview,
    });
    const one = { ...excess, found: 1 };
    expect(editedTrip(one, 'edited', { ...evidence, preview: { ...preview, before: 0, now: 1 } }).detail).toBe(
      'edited; under the configuration of run r1 it would be 0, now 1: it comes from the change of the configuration',
    );
  });
});
