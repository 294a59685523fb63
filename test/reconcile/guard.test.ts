import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACTIONS, ENTITIES } from '../../src/model/entity.js';
import {
  type CauseEvidence,
  effectiveLimit,
  evaluateGuards,
  type Limit,
  nameCause,
} from '../../src/reconcile/guard.js';

const calm: CauseEvidence = { configurationChanged: false, rowsBefore: 100, rowsNow: 100 };

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
  for (const [max, percent, min, linked, limit] of rows) {
    it(`max ${max}, ${percent} %, min ${min} of ${linked} → ${limit}`, () => {
      expect(effectiveLimit({ max, percent, min }, linked)).toBe(limit);
    });
  }
});

describe('evaluateGuards', () => {
  const only = (wanted: string, count: number) => (entity: string, action: string) =>
    `${entity}.${action}` === wanted ? count : 0;

  it('lets pass what is at the limit, and trips above it', () => {
    const guards = { users: { deactivate: { max: 3, percent: null, min: null } } };
    expect(
      evaluateGuards(
        guards,
        only('users.deactivate', 3),
        () => 100,
        () => calm,
      ),
    ).toEqual([]);
    expect(
      evaluateGuards(
        guards,
        only('users.deactivate', 4),
        () => 100,
        () => calm,
      ),
    ).toEqual([
      {
        guard: 'users.deactivate',
        limit: 3,
        found: 4,
        cause: 'real events',
        detail: 'the source is whole (100 rows before, 100 now) and the configuration unchanged',
      },
    ]);
  });

  it('has nothing to say about what has no guard', () => {
    expect(
      evaluateGuards(
        {},
        () => 1_000,
        () => 1,
        () => calm,
      ),
    ).toEqual([]);
    const guards = { users: { deactivate: { max: 0, percent: null, min: null } } };
    expect(
      evaluateGuards(
        guards,
        only('users.update', 1_000),
        () => 1,
        () => calm,
      ),
    ).toEqual([]);
  });

  it('never lets more than the limit pass, whatever the numbers', () => {
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
          const trips = evaluateGuards(
            { [entity]: { [action]: one } },
            only(`${entity}.${action}`, found),
            () => linked,
            () => calm,
          );
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

describe('nameCause: the most suspicious that explains the number', () => {
  const rows: readonly (readonly [found: number, evidence: CauseEvidence, cause: string, detail: string])[] = [
    [
      5,
      { configurationChanged: true, rowsBefore: 100, rowsNow: 10 },
      'configuration changed',
      'the configuration differs from the one of the last applied run',
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
      'the source is whole (100 rows before, 81 now) and the configuration unchanged',
    ],
    [
      40,
      { configurationChanged: false, rowsBefore: null, rowsNow: 10 },
      'real events',
      'the source is whole (10 rows) and the configuration unchanged',
    ],
    [
      0,
      { configurationChanged: false, rowsBefore: 10, rowsNow: 20 },
      'real events',
      'the source is whole (10 rows before, 20 now) and the configuration unchanged',
    ],
  ];
  for (const [found, evidence, cause, detail] of rows) {
    it(`${found} with ${JSON.stringify(evidence)} → ${cause}`, () => {
      expect(nameCause(found, evidence)).toEqual({ cause, detail });
    });
  }
});
