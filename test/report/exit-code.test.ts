import { describe, expect, it } from 'vitest';
import type { NamedHold } from '../../src/model/desired.js';
import type { GuardTrip } from '../../src/model/plan.js';
import { chooseExitCode, type Ending, splitHolds } from '../../src/report/exit-code.js';

function hold(code: string, more: Partial<NamedHold> = {}): NamedHold {
  return {
    id: '3f9c2b41d07a',
    entity: 'users',
    key: 'E1',
    place: 'hr employees.csv:2',
    code,
    reason: 'so',
    remedy: 'that',
    ...more,
  };
}

const TRIP: GuardTrip = {
  guard: 'users.create',
  limit: 0,
  found: 1,
  cause: 'real events',
  detail: 'one',
  held: 1,
};

const DONE: Ending = {
  broken: false,
  failed: 0,
  incomplete: false,
  held: [],
  guards: [],
  left: 0,
  detailed: false,
  changes: 0,
};

const FAULT = { held: [hold('SYNC_FIELD_FROZEN')] };
const KNOWN = hold('SYNC_CHANGE_BLOCKED', {
  acknowledged: { who: 'ops', reason: 'agreed', until: null, at: '2026-11-22T08:00:00.000Z' },
});
const DRIFT = { held: [hold('SYNC_DRIFT_REPORTED')] };
const CONFLICT = { held: [hold('SYNC_CONFLICT')] };
const CHANGES = { detailed: true, changes: 3 };

describe('chooseExitCode', () => {
  it.each<[string, Partial<Ending>, number]>([
    ['nothing to say', {}, 0],
    ['changes that were not asked about', { changes: 3 }, 0],
    ['asked about, no changes', { detailed: true }, 0],
    ['only reported drift', DRIFT, 0],
    ['the plan has changes', CHANGES, 2],
    ['drift and changes', { ...DRIFT, ...CHANGES }, 2],
    ['a guard holds', { guards: [TRIP] }, 3],
    ['changes are left', { left: 1 }, 3],
    ['a conflict', CONFLICT, 3],
    ['an open question of the configuration', { held: [hold('SYNC_QUESTION_OPEN')] }, 3],
    ['a record failed', { failed: 1 }, 4],
    ['an incomplete source', { incomplete: true }, 4],
    ['a record is held', FAULT, 4],
    ['all held records are acknowledged', { held: [KNOWN] }, 0],
    ['one of two held records is acknowledged', { held: [KNOWN, ...FAULT.held] }, 4],
    ['an acknowledged conflict', { held: [{ ...KNOWN, code: 'SYNC_CONFLICT' }] }, 0],
    ['could not run', { broken: true }, 1],
  ])('%s', (_, ending, code) => {
    expect(chooseExitCode({ ...DONE, ...ending })).toBe(code);
  });

  it('uses the first code that applies: 1, 4, 3, 2, 0', () => {
    const rising: readonly Partial<Ending>[] = [
      CHANGES,
      { guards: [TRIP], left: 2 },
      { failed: 1, incomplete: true, held: [hold('SYNC_CONFLICT'), hold('SYNC_ROW_FIELDS')] },
      { broken: true },
    ];
    const codes: number[] = [];
    let ending: Ending = DONE;
    for (const more of rising) {
      ending = { ...ending, ...more };
      codes.push(chooseExitCode(ending));
    }
    expect(codes).toEqual([2, 3, 4, 1]);
    expect(chooseExitCode({ ...DONE, ...CHANGES, ...CONFLICT })).toBe(3);
    expect(chooseExitCode({ ...DONE, held: [hold('SYNC_DRIFT_REPORTED'), hold('SYNC_ROW_FIELDS')] })).toBe(4);
  });

  it('separates conflicts from other holds', () => {
    const { held, conflicts } = splitHolds([hold('SYNC_CONFLICT'), hold('SYNC_ROW_FIELDS')]);
    expect([held, conflicts].map((list) => list.map(({ code }) => code))).toEqual([
      ['SYNC_ROW_FIELDS'],
      ['SYNC_CONFLICT'],
    ]);
  });
});
