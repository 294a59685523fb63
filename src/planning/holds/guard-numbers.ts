import type { Entity } from '../../model/entity.js';
import type { ChangeNumbers } from '../../reconcile/guard.js';
import type { Stores } from '../../store/open-stores.js';

/**
 * The share by which a window is shortened. Daily runs begin a little early or late, and each of them must count for
 * one day. For a window of 24 hours this is a quarter of an hour.
 */
const SLACK = 1 / 96;

/**
 * The numbers that guards use in one run.
 *
 * @param now ISO 8601: windows end here
 */
export function createGuardNumbers({ work, carriedOut }: Stores, now: string): ChangeNumbers {
  const sinceOf = (withinMs: number): string => new Date(Date.parse(now) - withinMs * (1 - SLACK)).toISOString();
  const currentOf = (scope: string): number =>
    scope.startsWith(SOURCE) ? work.backed(scope.slice(SOURCE.length)) : work.linkedActive(scope as Entity);
  return {
    unapproved: work.countUnapproved,
    touched: (entity) => work.touchedFields(entity, 'unapproved'),
    earlier: (scope, what, withinMs) => work.carriedOutSince(scope, what, sinceOf(withinMs)),
    base(scope, withinMs) {
      const current = currentOf(scope);
      return withinMs === 0 ? current : Math.max(current, carriedOut.countAt(scope, sinceOf(withinMs)) ?? 0);
    },
  };
}

/** Stores the number of objects of each kind before a run changes them, because percentages within the window refer to it. */
export function noteNumbers({ work, carriedOut, state }: Stores, now: string): void {
  state.transaction(() => {
    for (const entity of Object.keys(work.counts('applicable')) as Entity[])
      carriedOut.noteCount(entity, work.linkedActive(entity), now);
    for (const source of Object.keys(work.countWriteBack('applicable')))
      carriedOut.noteCount(`${SOURCE}${source}`, work.backed(source), now);
  });
}

const SOURCE = 'sources.';
