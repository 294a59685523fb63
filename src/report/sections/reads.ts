import { isJsonObject } from '../../model/json.js';
import type { PlanEvidence } from '../../model/plan.js';

export function isWholeRead({ sources }: PlanEvidence): boolean {
  return sources.every((read) => isJsonObject(read) && read.complete === true);
}

export const EQUAL = 'nothing to change: both sides are equal';

/** Where nothing is planned: equal is only what was seen whole, and of which nothing is set aside. */
export function describeCalm(evidence: PlanEvidence, held: number): string {
  if (!isWholeRead(evidence)) return 'nothing to change in what could be read';
  return held > 0 ? 'nothing to change' : EQUAL;
}

/** Sources that did not prove themselves whole: why, and what follows from it, in one sentence each. */
export function listUnprovenNotes({ sources }: PlanEvidence): readonly string[] {
  return sources.flatMap((read) => {
    if (!isJsonObject(read) || read.complete === true) return [];
    const file = typeof read.at === 'string' ? ` ${read.at.replace(/^.*\//, '')}` : '';
    const follows =
      read.decides === true
        ? 'so nobody missing from it counts as having left'
        : 'so what it would add stays as it was last agreed';
    return [`Source ${String(read.source)}${file} is not whole: ${String(read.because ?? 'unknown')}, ${follows}.`];
  });
}
