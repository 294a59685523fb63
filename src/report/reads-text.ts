import { isJsonObject } from '../model/json.js';
import type { PlanEvidence } from '../model/plan.js';
import { clip, type Style, wrapItems } from './style.js';

export function isWholeRead({ sources }: PlanEvidence): boolean {
  return sources.every((read) => isJsonObject(read) && read.complete === true);
}

/** Sources that did not prove themselves whole: why, and what follows from it. */
export function renderUnprovenReads({ sources }: PlanEvidence, style: Style, width: number): readonly string[] {
  return sources.flatMap((read) => {
    if (!isJsonObject(read) || read.complete === true) return [];
    const file = typeof read.at === 'string' ? ` ${read.at.replace(/^.*\//, '')}` : '';
    const said = clip(`! source ${String(read.source)}${file} is not whole: ${String(read.because ?? 'unknown')}`, 600);
    const follows =
      read.decides === true
        ? 'so nobody missing from it counts as having left'
        : 'so what it would add stays as it was last agreed';
    return [...wrapItems(said.split(' '), ' ', width).map(style.bad), `    ${follows}`];
  });
}
