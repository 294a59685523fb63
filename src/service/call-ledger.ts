import type { CallRecord } from './call.js';

export interface CallTally {
  readonly total: number;
  /** `PUT /api/v1/users/{user_id}` → times sent, repeats included. */
  readonly byTemplate: Readonly<Record<string, number>>;
}

export interface CallCounts {
  readonly reads: CallTally;
  readonly writes: CallTally;
}

export interface CallLedger {
  record(call: CallRecord): void;
  counts(): CallCounts;
}

export function createCallLedger(): CallLedger {
  const tallies = { read: new Map<string, number>(), write: new Map<string, number>() };

  function sum(tally: ReadonlyMap<string, number>): CallTally {
    let total = 0;
    for (const count of tally.values()) total += count;
    return { total, byTemplate: Object.fromEntries(tally) };
  }

  return {
    record(call) {
      const tally = tallies[call.kind];
      tally.set(call.template, (tally.get(call.template) ?? 0) + 1);
    },
    counts: () => ({ reads: sum(tallies.read), writes: sum(tallies.write) }),
  };
}
