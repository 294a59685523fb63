import fc from 'fast-check';

const [MINUTE, HOUR] = [60_000, 3_600_000];

/** The people who decide: two who have logged in, and one who types on the machine. */
export const PEOPLE = ['ann@example.com', 'bob@example.com', 'ops'] as const;
export type Somebody = (typeof PEOPLE)[number];

/** HR's change to some people; `at` picks the first of them. */
export interface Move {
  readonly kind: 'leave' | 'vanish' | 'join' | 'return' | 'title' | 'renumber';
  readonly at: number;
  readonly count: number;
}

/** The delivery before a run: HR's current rows, or a damaged file. */
export interface Delivery {
  readonly kind: 'good' | 'none' | 'cut' | 'short' | 'old';
  readonly at: number;
}

export interface Decision {
  readonly kind: 'approve' | 'decline' | 'revoke approval' | 'revoke decline';
  readonly by: Somebody;
  /** The scope of a decision: a guard, one person, some changes by id as on the pages, or changes of an older plan. */
  readonly how: 'guard' | 'person' | 'changes' | 'older plan';
  /** A decline of a title only, and the days after which it ends; null: it has no end. */
  readonly isField: boolean;
  readonly days: number | null;
  readonly at: number;
}

/**
 * One turn of a month: time passes, people join and leave, a file arrives, a person decides, and a run is performed.
 */
export interface Turn {
  readonly waitMs: number;
  readonly moves: readonly Move[];
  readonly delivery: Delivery;
  /** Looks at a plan before any decision. */
  readonly isPlanned: boolean;
  readonly decisions: readonly Decision[];
  /** The write at which the run is killed, and whether the service had carried it out; null: the run ends normally. */
  readonly kill: { readonly write: number; readonly isAfter: boolean } | null;
  readonly state: 'kept' | 'saved' | 'restored';
}

export interface Month {
  readonly people: number;
  readonly fourEyes: boolean;
  readonly limits: { readonly deactivate: number; readonly relink: number; readonly title: number };
  readonly turns: readonly Turn[];
}

const at = fc.nat({ max: 997 });

function oneOf<T>(weights: readonly (readonly [weight: number, value: T])[]): fc.Arbitrary<T> {
  return fc.oneof(...weights.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));
}

const move: fc.Arbitrary<Move> = fc.record({
  kind: oneOf<Move['kind']>([
    [6, 'leave'],
    [2, 'vanish'],
    [1, 'join'],
    [6, 'return'],
    [4, 'title'],
    [3, 'renumber'],
  ]),
  at,
  count: oneOf([
    [5, 1],
    [2, 2],
    [1, 4],
  ]),
});

const decision: fc.Arbitrary<Decision> = fc.record({
  kind: oneOf<Decision['kind']>([
    [6, 'approve'],
    [4, 'decline'],
    [1, 'revoke approval'],
    [1, 'revoke decline'],
  ]),
  by: fc.constantFrom(...PEOPLE),
  how: fc.constantFrom('guard', 'person', 'person', 'changes', 'older plan'),
  isField: fc.boolean(),
  days: fc.constantFrom(null, 1, 3),
  at,
});

const turn: fc.Arbitrary<Turn> = fc.record({
  waitMs: oneOf([
    [4, 15 * MINUTE],
    [2, HOUR],
    [2, 6 * HOUR],
    [4, 24 * HOUR],
    [1, 72 * HOUR],
  ]),
  moves: fc.array(move, { maxLength: 2 }),
  delivery: fc.record({
    kind: oneOf<Delivery['kind']>([
      [9, 'good'],
      [2, 'none'],
      [1, 'cut'],
      [1, 'short'],
      [1, 'old'],
    ]),
    at,
  }),
  isPlanned: fc.boolean(),
  decisions: fc.array(decision, { maxLength: 3 }),
  kill: fc.oneof(
    { weight: 5, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.record({ write: fc.integer({ min: 1, max: 3 }), isAfter: fc.boolean() }) },
  ),
  state: oneOf<Turn['state']>([
    [12, 'kept'],
    [2, 'saved'],
    [1, 'restored'],
  ]),
});

export function months(mostTurns: number): fc.Arbitrary<Month> {
  return fc.record({
    people: fc.integer({ min: 20, max: 60 }),
    fourEyes: oneOf([
      [2, false],
      [1, true],
    ]),
    limits: fc.record({
      deactivate: fc.integer({ min: 1, max: 3 }),
      relink: fc.integer({ min: 1, max: 2 }),
      title: fc.integer({ min: 1, max: 4 }),
    }),
    turns: fc.array(turn, { minLength: 1, maxLength: mostTurns, size: 'max' }),
  });
}
