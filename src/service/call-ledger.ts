import type { CallRecord } from './call.js';

export interface CallTally {
  readonly total: number;
  /** `PUT /api/v1/users/{user_id}` → number of times sent, including repeats. */
  readonly byTemplate: Readonly<Record<string, number>>;
}

export interface CallCounts {
  readonly reads: CallTally;
  readonly writes: CallTally;
}

export class CallLedger {
  readonly #tallies = { read: new Map<string, number>(), write: new Map<string, number>() };

  record({ kind, template }: CallRecord): void {
    const tally = this.#tallies[kind];
    tally.set(template, (tally.get(template) ?? 0) + 1);
  }

  counts(): CallCounts {
    return { reads: sumUp(this.#tallies.read), writes: sumUp(this.#tallies.write) };
  }
}

function sumUp(tally: ReadonlyMap<string, number>): CallTally {
  const total = [...tally.values()].reduce((sum, count) => sum + count, 0);
  return { total, byTemplate: Object.fromEntries(tally) };
}
