import { expect, test } from 'vitest';
import { openTestStores } from '../../samples.js';

const DAY_MS = 86_400_000;
/** Days since the story began. */
const day = (days: number): string => new Date(Date.parse('2026-11-20T08:00:00Z') + days * DAY_MS).toISOString();

type Step = readonly ['pause' | 'resume' | 'approve' | 'decline', at: number, until?: number];

/** Steps, each with its day and the end it names; then the ends of all decisions. */
const TABLE: readonly (readonly [string, readonly Step[], readonly (number | null)[]])[] = [
  [
    'without a pause',
    [
      ['approve', 0, 3],
      ['decline', 0, 5],
    ],
    [3, 5],
  ],
  [
    'during a pause',
    [
      ['approve', 0, 3],
      ['decline', 0, 5],
      ['pause', 1, 11],
    ],
    [13, 15],
  ],
  [
    'a pause that is extended',
    [
      ['approve', 0, 3],
      ['pause', 1, 2],
      ['pause', 1.5, 11],
    ],
    [13],
  ],
  [
    'a pause that is shortened',
    [
      ['approve', 0, 3],
      ['pause', 1, 11],
      ['pause', 2, 4],
    ],
    [6],
  ],
  [
    'a pause that ends earlier',
    [
      ['approve', 0, 3],
      ['decline', 0, 5],
      ['pause', 1, 11],
      ['resume', 2],
    ],
    [4, 6],
  ],
  [
    'a pause that expires',
    [
      ['approve', 0, 3],
      ['pause', 1, 2],
      ['resume', 2.5],
    ],
    [4],
  ],
  [
    'two pauses',
    [
      ['approve', 0, 5],
      ['pause', 1, 2],
      ['pause', 3, 4],
    ],
    [7],
  ],
  [
    'decisions that expired before',
    [
      ['approve', 0, 1],
      ['pause', 2, 4],
    ],
    [1],
  ],
  [
    'a date set during a pause',
    [
      ['pause', 0, 4],
      ['decline', 1, 9],
      ['resume', 2],
    ],
    [9],
  ],
  [
    'a decline without a date',
    [
      ['decline', 0],
      ['pause', 1, 4],
    ],
    [null],
  ],
];

test.each(TABLE)('sets the ends of decisions: %s', (_, steps, ends) => {
  const stores = openTestStores();
  const { history, declines, pauses, state } = stores;
  const words = { by: 'jane', reason: 'payroll' };
  for (const [what, at, until] of steps) {
    const [now, end] = [day(at), until === undefined ? null : day(until)];
    state.transaction(() => {
      if (what === 'pause') pauses.begin({ at: now, until: end ?? '', ...words });
      else if (what === 'resume') pauses.end(now);
      else if (what === 'approve') {
        const given = { id: 'a1', changeId: 'c1', guard: 'users.update', who: 'kim', reason: 'seen' };
        history.approve([{ ...given, at: now, expiresAt: end ?? '' }]);
      } else {
        const place = { scope: 'users', key: 'E1', path: 'title', value: 'v', mapping: 'm', changeId: 'c2' };
        const word = {
          id: 'd1',
          action: 'update',
          guards: '',
          plan: 'p1',
          who: 'kim',
          reason: 'no',
          at: now,
          until: end,
        };
        declines.decline([{ ...place, ...word }]);
      }
    });
  }
  const approved = [...history.lapsedApprovals(day(99))].map(({ expiresAt }) => expiresAt);
  const declined = declines.ofId('d1').map(({ until }) => until);
  expect([...approved, ...declined]).toEqual(ends.map((end) => (end === null ? null : day(end))));
});

test('keeps a pause until its end with its original start, and forgets it afterwards', () => {
  const { pauses } = openTestStores();
  pauses.begin({ at: day(0), until: day(2), by: 'jane', reason: 'payroll' });
  pauses.begin({ at: day(1), until: day(3), by: 'kim', reason: 'it takes longer' });
  expect(pauses.find(day(2.9))).toEqual({ at: day(0), until: day(3), by: 'kim', reason: 'it takes longer' });
  expect([pauses.find(day(3)), pauses.end(day(3))]).toEqual([null, null]);
});
