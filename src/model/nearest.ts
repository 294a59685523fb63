import { findSynonym } from './synonyms.js';

/**
 * Finds the candidate that a mistyped name most likely meant, or null if none is near. It tries synonyms first, then the
 * nearest spelling. The allowed distance grows with the length: one edit up to three letters, then about a third of the
 * letters. A wilder guess would mislead the reader. Case, `_` and `-` are ignored, so `Job-Title` finds `job_title`.
 */
export function nearestName(name: string, candidates: readonly string[]): string | null {
  const wanted = fold(name);
  const same = candidates.find((candidate) => fold(candidate) === wanted) ?? findSynonym(wanted, candidates);
  if (same !== null) return same;
  const limit = Math.max(1, Math.ceil(wanted.length / 3));
  let best: string | null = null;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    const distance = countEdits(wanted, fold(candidate), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Returns advice for an unknown name: the nearest known name, or `otherwise` if none is near. */
export function adviseName(
  name: string,
  known: readonly string[],
  otherwise: string,
  show: (near: string) => string = (near) => `\`${near}\``,
): string {
  const near = nearestName(name, known);
  return near === null ? otherwise : `Did you mean ${show(near)}?`;
}

/** A longer list of names is shown only if none of them is near. */
const A_FEW = 8;

/** Returns advice for an unknown name, with all known names if they fit into a sentence. */
export function adviseAmong(name: unknown, known: readonly string[], accepted: string): string {
  const all = `${accepted}: ${known.join(', ')}.`;
  const near = typeof name === 'string' ? adviseName(name, known, '') : '';
  return near !== '' && known.length > A_FEW ? near : `${near} ${all}`.trimStart();
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[_\-\s]/g, '');
}

/**
 * Computes the Levenshtein distance, counting a swap of neighbours as one edit (`emial`). Stops and returns `limit` once the
 * distance cannot be smaller.
 */
function countEdits(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let edits = Math.min(at(last, j) + 1, at(row, j - 1) + 1, substitution);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        edits = Math.min(edits, at(beforeLast, j - 2) + 1);
      }
      row.push(edits);
    }
    beforeLast = last;
    last = row;
  }
  return Math.min(at(last, b.length), limit);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
