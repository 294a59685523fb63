import fc from 'fast-check';
import { ESTATES, type EstateName, TABLES, type TableName } from './from-scratch-estates.js';

/** The possible steps between two plans, for fast-check: numbers choose among the existing ones. */

const DELIVERED = [
  'intact',
  'the same again',
  'turned round',
  'a row twice',
  'a bad row',
  'cut',
  'nothing',
  'broken',
] as const;
export type Delivered = (typeof DELIVERED)[number];

const pick = fc.nat(19);
const weighted = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });
const on = <const Do extends string>(...what: readonly Do[]) => ({ do: fc.constantFrom(...what) });

/** One change of a table: a cell or, beyond its columns, the row itself. */
const change = fc.record({ row: pick, column: pick, word: pick });

function stepsOf(tables: readonly TableName[]) {
  const how = fc.oneof(weighted(9, fc.constant('intact' as const)), weighted(7, fc.constantFrom(...DELIVERED)));
  const changes = fc.array(change, { maxLength: 5, size: 'max' });
  return fc.oneof(
    weighted(16, fc.record({ ...on('deliver'), table: fc.constantFrom(...tables), changes, how })),
    weighted(
      5,
      fc.record({ ...on('edit', 'deactivate', 'reactivate', 'delete', 'link', 'unlink', 'erase'), row: pick }),
    ),
    weighted(1, fc.record(on('rename an office'))),
    weighted(8, fc.record({ ...on('sync'), full: fc.boolean(), fault: fc.constantFrom(null, null, ...FAULT_NAMES) })),
    weighted(1, fc.record({ ...on('sync one'), row: pick })),
    weighted(
      3,
      fc.record({ ...on('kill'), command: fc.constantFrom('plan', 'sync', 'full', 'undo'), at: fc.nat(120) }),
    ),
    weighted(
      2,
      fc.record({
        ...on('plan of a day', 'sync of a day'),
        days: fc.oneof(fc.integer({ min: -2, max: 3 }), fc.constantFrom(-30, 30)),
      }),
    ),
    weighted(
      5,
      fc.record(on('approve', 'apply', 'undo', 'refresh', 'save', 'old mirror', 'old state', 'no mirror', 'restore')),
    ),
    weighted(2, fc.record({ ...on('wait'), hours: fc.constantFrom(1, 30, 24 * 8) })),
    weighted(4, fc.record({ ...on('configure'), patch: fc.nat(99) })),
  );
}

/** Faults on the way to the service, which last for one run. */
export const FAULTS = {
  refused: { method: 'PUT', path: '/api/', kind: 'status', status: 422 },
  broken: { method: 'POST', path: '/api/', kind: 'status', status: 500, times: 9 },
  lost: { method: 'PUT', path: '/api/', kind: 'reset_after' },
  forbidden: { method: 'GET', path: '/api/v2/users', kind: 'status', status: 403, times: 9 },
  hidden: { method: 'GET', path: '/api/v2/company', kind: 'status', status: 403, times: 9 },
} as const;
type FaultName = keyof typeof FAULTS;
const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

export type TableChange = typeof change extends fc.Arbitrary<infer T> ? T : never;
export type Step = ReturnType<typeof stepsOf> extends fc.Arbitrary<infer T> ? T : never;

export interface StoryOfSteps {
  readonly estate: EstateName;
  readonly steps: readonly Step[];
}

const storiesIn = (estate: EstateName): fc.Arbitrary<StoryOfSteps> =>
  fc.record({
    estate: fc.constant(estate),
    steps: fc.array(stepsOf(ESTATES[estate].tables), { minLength: 6, maxLength: 18 }),
  });

/** Mostly people alone, since they have the most rules. */
export const stories: fc.Arbitrary<StoryOfSteps> = fc.oneof(
  weighted(4, storiesIn('people')),
  weighted(2, storiesIn('asked')),
  weighted(2, storiesIn('joined')),
  weighted(2, storiesIn('deals')),
  weighted(2, storiesIn('staffing')),
);

/** The item of a list that a number chooses. */
export function choose<T>(list: readonly T[], number: number): T {
  const chosen = list[number % list.length];
  if (chosen === undefined) throw new Error('there is nothing to choose from');
  return chosen;
}

/** A row's id in a table. */
export const idOf = (table: TableName, number: number): string => choose(TABLES[table].ids, number);
