import { plural } from '../../model/plural.js';
import type { EndDoubt, NextStep, PagesSoFar } from './judge-end.js';

/** The words for a kind of system and its rows, and the places of its statements. */
export interface EndWords {
  /** The words for the system, such as `the CRM`. */
  readonly system: string;
  /** The word for the rows, such as `users`. */
  readonly rows: string;
  /** The places of the next page and of the count in a response. */
  readonly next: string;
  readonly count: string;
}

/** Explains why absences from a listing prove nothing, with advice if the operator can change that. */
export function describeEnd(doubt: EndDoubt, { system, rows, next, count }: EndWords): string {
  const remedy = `Have it count its ${rows} (${count}), or set \`end: trusted\` to trust the end of its list`;
  switch (doubt.kind) {
    case 'repeated':
      return `${system} repeats its pages: one of them has no new ${rows}, or they have no id`;
    case 'announced nothing':
      return `${system} announced a page that has no ${rows}`;
    case 'moved':
      return `${count} changed from ${doubt.from} to ${doubt.to} during the read`;
    case 'miscounted':
      return `${doubt.rows} different ${rows} arrived, but ${system} counts ${doubt.total}`;
    case 'silent':
      return `the first page names no next page at ${next}, and no number of ${rows}. ${remedy}`;
    case 'full page':
      return doubt.pages > 1
        ? `the last of ${doubt.pages} pages is as long as the others (${plural(doubt.rows, 'row')}), so there may be more. ${remedy}`
        : `one page of ${plural(doubt.rows, 'row')} arrived, as long as a full page of an earlier read, so there may be more. ${remedy}`;
    case 'as asked':
      return `${plural(doubt.rows, 'row')} arrived, as many as the query asks for, so there may be more. ${remedy}`;
    case 'as before':
      return `exactly ${plural(doubt.rows, 'row')} arrived, as in an earlier read with other content, so there may be more. ${remedy}`;
  }
}

/**
 * Describes the gap that would go unnoticed in a listing of this kind; null if no gap would.
 *
 * @param next the step that could have followed the first page
 */
export function describeBlindSpot(
  next: NextStep | null,
  { first, last, pages }: PagesSoFar,
  { system, rows, count }: EndWords,
): string | null {
  if (next === 'only')
    return `${system} answers once, and the answer counts as all ${rows}: a limit with an unusual number would go unnoticed`;
  if (next === 'own' && pages === 2 && last.rows > 0 && last.news === 0)
    return `${system} answers with the first page again when asked for the next one: a limit on that page would go unnoticed`;
  if (first.total === null)
    return `${system} counts no ${rows} (${count}): if it leaves some out, or stops after a short page, this goes unnoticed`;
  if (next === 'said' && pages === 1 && first.total === first.rows && first.rows > 0)
    return `${system} counts the rows on its only page and names no next page: if it counts only that page, this goes unnoticed`;
  return null;
}
