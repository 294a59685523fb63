import type { Logger } from '../base/logger.js';
import { formatPlace, type Place } from '../model/place.js';
import type { GuardTrip } from '../model/plan.js';
import type { Stores } from '../store/open-stores.js';
import type { Derivation } from './derive-plan.js';
import type { BothSides } from './reads/read-both-sides.js';
import type { PlanHead } from './saved/plan-file.js';

/* Findings of the stages of a run, for the log (LOG_LEVEL=debug): numbers, and names of sources but never of people. */

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

const LEFT: Readonly<Record<string, string>> = {
  desired: 'both sides are equal',
  leaver: 'has left, and no change is needed',
  early: 'the first day of work is in the future',
  out: 'out of scope',
  gone: 'deleted in the source',
};

/** Logs the planned numbers at info level, if there are any; at debug level also the decision about each record. */
export function* tellPlanned(
  { stores, logger }: { readonly stores: Stores; readonly logger: Logger },
  { plan, summary: { counts, held } }: PlanHead,
): Generator<void, void> {
  logger[Object.keys(counts).length > 0 ? 'info' : 'debug']({ plan, counts, held }, 'planned');
  if (!logger.isLevelEnabled('debug')) return;
  for (const decision of describeDecisions(stores)) yield logger.debug(decision, 'decided');
}

/**
 * Yields what is planned, held or left unchanged for each record, and why. Records are named by place and change,
 * because their keys may identify people.
 */
function* describeDecisions({ work }: Stores): Generator<object, void> {
  for (const { entity, action, id, fields, reason, place, withheld } of work.inOrder('all')) {
    const waits = withheld === null ? {} : { held_by: withheld.name };
    yield { decision: action, entity, change: id, fields, because: reason.kind, ...waits, place };
  }
  for (const { entity, code, field, place, count } of work.holds())
    yield { decision: 'held', entity, because: code, field, place, count };
  for (const { entity, state, place } of work.leftAlone()) {
    const because = state === null ? 'no row in a source, and its absence is not proven' : (LEFT[state] ?? state);
    yield {
      decision: 'left',
      entity,
      because,
      place: place === null ? undefined : formatPlace(JSON.parse(place) as Place),
    };
  }
}
