import fc from 'fast-check';
import { AUTHORITIES } from '../../src/model/write-back.js';

/** Random events for values that both sides own, for fast-check. */

export const PEOPLE = ['p1', 'p2'] as const;
export type Person = (typeof PEOPLE)[number];
/** Columns of HR that the service writes back to. */
export const SHARED = ['title_no', 'phone', 'unit'] as const;
/** Only HR has `title`. */
export const COLUMNS = ['title', ...SHARED] as const;
export type Column = (typeof COLUMNS)[number];

const CONFLICTS = ['owner', 'source', 'service', 'hold'] as const;
const DRIFT = ['correct', 'report'] as const;

const on = <const Do extends string>(...what: readonly Do[]) => ({ do: fc.constantFrom(...what) });
const weighted = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });
/** Most events concern one value, so that it changes often. */
const who = fc.constantFrom(...PEOPLE, 'p1', 'p1');
const column = fc.constantFrom(...COLUMNS, 'phone', 'phone');
const conflicts = fc.constantFrom(...CONFLICTS);
const drift = fc.constantFrom(...DRIFT);
const authority = fc.constantFrom(...AUTHORITIES);
/** Words repeat; one is new each time, and one is empty. */
const word = fc.constantFrom('a', 'b', 'c', 'new', '');

const step = fc.oneof(
  weighted(12, fc.record({ ...on('HR edits', 'a colleague edits'), who, column, word })),
  weighted(5, fc.record({ ...on('both edit'), who, column, word, other: word })),
  weighted(7, fc.record({ ...on('HR delivers'), takesIn: fc.boolean() })),
  weighted(11, fc.record({ ...on('run'), full: fc.boolean() })),
  weighted(5, fc.record(on('undo', 'undo', 'undo', 'undo the undo', 'lapse'))),
  weighted(3, fc.record(on('lose the mirror', 'back up', 'restore'))),
  weighted(5, fc.record({ ...on('leave', 'come back', 'come back', 'get a new number', 'unpin'), who })),
  weighted(1, fc.record({ ...on('decide'), side: fc.constantFrom('source', 'service') })),
  weighted(1, fc.record({ ...on('change who wins'), conflicts, drift })),
  weighted(1, fc.record({ ...on('change who owns'), column: fc.constantFrom(...SHARED), authority })),
);
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

export const histories = fc.record({
  conflicts,
  drift,
  /** The owner of each column. */
  owners: fc.record({ title: fc.constant('source' as const), title_no: authority, phone: authority, unit: authority }),
  /** True if an empty value of one side empties the other. */
  clears: fc.boolean(),
  steps: fc.array(step, { minLength: 10, maxLength: 36, size: 'max' }),
});
export type BothHistory = typeof histories extends fc.Arbitrary<infer T> ? T : never;
export type Rules = Omit<BothHistory, 'steps'>;
