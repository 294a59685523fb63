import type { GuardTrip } from '../model/plan.js';
import type { Stores } from '../store/open-stores.js';
import type { Derivation } from './derive-plan.js';
import type { BothSides } from './reads/read-both-sides.js';

/* What the stages of a run have found, for the log (LOG_LEVEL=debug): numbers and names of sources, never of people. */

export function describeReads({ staged, mirrorRead }: Pick<BothSides, 'staged' | 'mirrorRead'>): object {
  const reads = staged.flatMap(({ deciding, enriching }) => [...deciding, ...enriching]);
  const sources = reads.map(({ source, evidence, error }) => {
    if (error !== null) return { source, error: error.code };
    return { source, rows: evidence?.rows, rejected: evidence?.rejected, complete: evidence?.complete };
  });
  return { sources, service: mirrorRead };
}

export function describeDerived({ work }: Stores, { stopped, unread }: Pick<Derivation, 'stopped' | 'unread'>): object {
  return {
    counts: work.counts(),
    held: work.heldCounts(),
    left_alone: stopped.map(({ entity, error }) => ({ entity, code: error.code })),
    refused_reads: unread.map(({ area, error }) => ({ area, code: error.code })),
  };
}

export function describeGuards({ work }: Stores, guards: readonly GuardTrip[]): object {
  const trips = guards.map(({ guard, found, limit, held, cause }) => ({ guard, found, limit, held, cause }));
  return { guards: trips, waiting: work.countWaiting(), to_apply: work.counts('applicable') };
}
