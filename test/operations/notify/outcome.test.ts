import { expect, it } from 'vitest';
import { type Outcome, readOutcome, withoutNames } from '../../../src/operations/notify/outcome.js';
import { buildEntry } from '../../../src/store/audit/audit-entry.js';
import { appendEntry, appendEvent } from '../../../src/store/audit/audit-log.js';
import type { AuditEvent } from '../../../src/store/audit/events.js';
import type { Stores } from '../../../src/store/open-stores.js';
import { changeOf, openTestStores } from '../../samples.js';

const AT = '2026-11-20T08:00:00.000Z';
const GUARD = { kind: 'guard', of: 'users.deactivate', since: '2026-11-20T07:00:00.000Z' } as const;
const GIVEN = { plan: 'p', reason: 'Jane Doe told me', expires: '2026-12-01T00:00:00.000Z', guards: [GUARD.of] };

type Loose = AuditEvent extends infer One
  ? One extends AuditEvent
    ? Omit<One, 'at'> & { at?: string }
    : never
  : never;

function approve(...changes: readonly string[]): Loose {
  return { kind: 'approval given', by: 'Kari', approval: 'a1', ...GIVEN, changes };
}

function decline(by: string, ...changes: readonly string[]): Loose {
  const { expires: until, ...given } = GIVEN;
  return { kind: 'change declined', by, decline: 'd1', ...given, until, changes };
}

function note(stores: Stores, events: readonly Loose[], done: readonly string[] = []): Stores['audit'] {
  for (const event of events) appendEvent(stores.audit, { at: AT, ...event } as AuditEvent);
  for (const id of done) {
    const how = { run: 'r1', at: AT, calls: [], result: 'done', error: null, target: 't1', approval: 'a1' } as const;
    appendEntry(stores.audit, buildEntry({ ...changeOf('users', id), id }, how));
  }
  return stores.audit;
}

function shorten(outcome: Outcome | null): readonly string[] | undefined {
  return outcome?.decisions.map(({ what, count, carried_out: done, by }) => `${count} ${what} ${done} ${by.join('+')}`);
}

const REVOKED = { kind: 'approval revoked', by: 'Ola', approval: 'a1', reason: '' } as const;
const RESOLVED = { kind: 'conflict resolved', by: 'Kari', reason: '', entity: 'users' } as const;
const CONFLICTS = { kind: 'conflict', of: 'users', since: GUARD.since } as const;
const PAUSED = { kind: 'paused', of: '', since: GUARD.since } as const;

it.each([
  [
    'approved changes, and the changes applied',
    GUARD,
    [approve('a', 'b', 'c')],
    ['a', 'b', 'x'],
    ['3 approved 2 Kari'],
  ],
  [
    'both names of a second approval',
    GUARD,
    [{ ...approve('a'), confirms: ['a0 by Ola'] }],
    ['a'],
    ['1 approved 1 Ola+Kari'],
  ],
  [
    "another person's decline",
    GUARD,
    [approve('a'), decline('Ola', 'b')],
    ['a'],
    ['1 approved 1 Kari', '1 declined 0 Ola'],
  ],
  [
    'the last decision about a change',
    GUARD,
    [approve('a', 'b'), { ...decline('Ola', 'b'), guards: [] }],
    ['a'],
    ['1 approved 1 Kari', '1 declined 0 Ola'],
  ],
  [
    'nothing for a revoked approval',
    GUARD,
    [approve('a', 'b'), { ...REVOKED, changes: ['b'] }],
    [],
    ['1 approved 0 Kari'],
  ],
  ['nothing for other guards', GUARD, [{ ...approve('a'), guards: ['users.update'] }], ['a'], []],
  ['nothing from earlier events', GUARD, [{ ...approve('a'), at: '2026-11-20T06:59:59.000Z' }], [], []],
  [
    'an approval of a delivery, whatever its digest',
    { ...GUARD, kind: 'source', of: 'sources.hr.shrink' },
    [{ ...approve('sources.hr.shrink:abc1'), guards: ['sources.hr.shrink:abc1'] }],
    [],
    ['1 approved 0 Kari'],
  ],
  [
    'the chosen side per question',
    CONFLICTS,
    [
      { ...RESOLVED, key: 'E1', question: 'q1', winner: 'source' },
      { ...RESOLVED, key: 'E2', question: 'q2', winner: 'service' },
      { ...RESOLVED, key: 'E2', question: 'q2', winner: 'source' },
      { ...RESOLVED, entity: 'customers', key: 'C1', question: 'q3', winner: 'source' },
    ],
    [],
    ['2 source 0 Kari'],
  ],
  [
    'the person who ended a pause',
    PAUSED,
    [{ kind: 'resumed', by: 'Ola', reason: '', until: GIVEN.expires }],
    [],
    ['1 resumed 0 Ola'],
  ],
  ['no decision about events without one', { ...GUARD, kind: 'key' }, [approve('a')], [], undefined],
] as const)('reports %s', (_, event, events, done, expected) => {
  expect(shorten(readOutcome(note(openTestStores(), events as readonly Loose[], done), event))).toEqual(expected);
});

it('stops reading at a number of entries, and reports the outcome as partial', () => {
  const audit = note(openTestStores(), [approve('a'), decline('Ola', 'b')]);
  expect(readOutcome(audit, GUARD, 2)).toMatchObject({ partial: false, decisions: [{}, {}] });
  expect(readOutcome(audit, GUARD, 1)).toMatchObject({ partial: true });
});

it('contains no reason, and no names if messages may not contain names', () => {
  const outcome = readOutcome(note(openTestStores(), [approve('a'), decline('Ola', 'b')]), GUARD);
  expect(JSON.stringify(outcome)).not.toContain('Jane');
  expect(JSON.stringify(withoutNames(outcome ?? { decisions: [], partial: true }))).not.toMatch(/Kari|Ola/);
});
