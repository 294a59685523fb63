import { isJsonObject } from '../../model/json.js';
import type { PlanEvidence } from '../../model/plan.js';
import { clip, type Style, wrapItems } from './style.js';

export function isWholeRead({ sources }: PlanEvidence): boolean {
  return sources.every((read) => isJsonObject(read) && read.complete === true);
}

export const EQUAL = 'nothing to change: both sides are equal';

/** Where nothing is planned: equal is only what was seen whole, and of which nothing is set aside. */
export function describeCalm(evidence: PlanEvidence, held: number): string {
  if (!isWholeRead(evidence)) return 'nothing to change in what could be read';
  return held > 0 ? 'nothing to change' : EQUAL;
}

export interface UnprovenRead {
  /** `source hr employees.csv is not whole: …` */
  readonly said: string;
  readonly follows: string;
}

/** Sources that did not prove themselves whole: why, and what follows from it. */
export function listUnprovenReads({ sources }: PlanEvidence): readonly UnprovenRead[] {
  return sources.flatMap((read) => {
    if (!isJsonObject(read) || read.complete === true) return [];
    const file = typeof read.at === 'string' ? ` ${read.at.replace(/^.*\//, '')}` : '';
    const follows =
      read.decides === true
        ? 'so nobody missing from it counts as having left'
        : 'so what it would add stays as it was last agreed';
    return [
      { said: `source ${String(read.source)}${file} is not whole: ${String(read.because ?? 'unknown')}`, follows },
    ];
  });
}

/** The same in one sentence each. */
export function listUnprovenNotes(evidence: PlanEvidence): readonly string[] {
  return listUnprovenReads(evidence).map(({ said, follows }) => `${said}, ${follows}.`.replace(/^s/, 'S'));
}

export function renderUnprovenReads(evidence: PlanEvidence, style: Style, width: number): readonly string[] {
  return listUnprovenReads(evidence).flatMap(({ said, follows }) => [
    ...wrapItems(clip(`! ${said}`, 600).split(' '), ' ', width).map(style.bad),
    `    ${follows}`,
  ]);
}
