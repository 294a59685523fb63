/** The facts about a page that decide if the listing has ended. */
export interface SeenPage {
  /** The origin of the page's place: `own` if the reader computed it, `announced` if the server returned it. */
  readonly way: 'first' | 'own' | 'announced';
  readonly rows: number;
  /** The number of rows that are new in this read. */
  readonly news: number;
  /** The number of rows without an id, which could all be the same row. */
  readonly unknown: number;
  /** The total number of rows that the response states; null if it states none. */
  readonly total: number | null;
}

/** The facts about a listing while its pages are read. */
export interface PagesSoFar {
  readonly pages: number;
  readonly first: SeenPage;
  readonly last: SeenPage;
  /** The number of rows, including repeated rows. */
  readonly position: number;
  readonly different: number;
  /** The largest page before the last one. */
  readonly largestBefore: number;
  /** The total on the last page with a new row. */
  readonly total: number | null;
  /** True if every total so far was the number of rows on its page. */
  readonly countsPages: boolean;
  /** The numbers of announced pages that were empty, in all and since the last row. */
  readonly gaps: number;
  readonly gapsInRow: number;
}

export function addPage(before: PagesSoFar | null, last: SeenPage): PagesSoFar {
  const first = before?.first ?? last;
  const isNews = before === null || last.news > 0;
  const { rows, total } = last;
  const countsPage = total === null || total === rows || total === first.rows;
  const isGap = last.way === 'announced' && rows === 0;
  return {
    pages: (before?.pages ?? 0) + 1,
    first,
    last,
    position: (before?.position ?? 0) + rows,
    different: (before?.different ?? 0) + last.news + last.unknown,
    largestBefore: before === null ? 0 : Math.max(before.largestBefore, before.last.rows),
    total: isNews ? total : before.total,
    countsPages: isNews ? (before?.countsPages ?? true) && countsPage : before.countsPages,
    gaps: (before?.gaps ?? 0) + Number(isGap),
    gapsInRow: isGap ? (before?.gapsInRow ?? 0) + 1 : 0,
  };
}

/**
 * The step after a page: to a place that the reader computes, or to one that the server returned. If there is no next
 * page, the server `said` so, was `silent`, or is asked only once (`only`).
 */
export type NextStep = 'own' | 'announced' | 'said' | 'silent' | 'only';

/** True once the total cannot be the number of rows on the first page, for a quick look at a listing. */
export function isCountClear({ pages, position, total }: PagesSoFar): boolean {
  return pages > 1 || total === null || total > position;
}

/** Facts other than the pages that make an end credible or doubtful. */
export interface EndHints {
  /** True if the question asks only for a part, such as changes. Absences then do not count, but the part must be complete. */
  readonly isPart: boolean;
  /** True if the configuration trusts the system's own statement. */
  readonly isTrusted: boolean;
  /** The numbers in the query, because any number may be a limit. */
  readonly asked: ReadonlySet<number>;
  /** The number of rows on a full page, from an earlier read of several pages; null if there was none. */
  readonly fullPage: number | null;
  /** True if an earlier read showed that the server counts the rows of a page and not all rows. */
  readonly countsPages: boolean;
  /** Differences from an earlier read of one page with the same number of rows, in the rows or in their contents. */
  readonly other: { readonly rows: boolean; readonly content: boolean };
}

/** The reason for a doubt; `describeEnd` in describe-end.ts puts it into words. */
export type EndDoubt =
  | { readonly kind: 'repeated' }
  | { readonly kind: 'announced nothing' }
  | { readonly kind: 'moved'; readonly from: number; readonly to: number }
  | { readonly kind: 'miscounted'; readonly rows: number; readonly total: number }
  | { readonly kind: 'silent' }
  | { readonly kind: 'full page'; readonly rows: number; readonly pages: number }
  | { readonly kind: 'as asked'; readonly rows: number }
  | { readonly kind: 'as before'; readonly rows: number };

/** `contradicted`: a sign shows that something is missing. `unproven`: nothing shows that the listing is complete. */
export type EndVerdict =
  | { readonly kind: 'more' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'contradicted' | 'unproven'; readonly doubt: EndDoubt };

const MORE: EndVerdict = { kind: 'more' };
const ENDED: EndVerdict = { kind: 'ended' };
/**
 * The maximum number of empty pages in a row. Some servers filter rows after they have split them into pages, but a
 * server that only announces empty pages would never end.
 */
const MOST_GAPS = 2;

/** The usual page limits of servers. */
const USUAL_LIMITS: ReadonlySet<number> = new Set([50, 100, 200, 250, 500, 1_000]);

/**
 * The single rule for the end of a listing. A total can disprove an end, but it proves one only if no further page can be
 * requested. A computed place is one that the reader works out; an announced place is one that the server returns.
 *
 * | the last page | what follows |
 * |---|---|
 * | is at a computed place, and the total is not reached or not stated | the next page |
 * | is at a computed place, reaches the total, and is shorter than an earlier page | the end |
 * | is at a computed place, reaches the total, and is as long as the others or the only page | one more request |
 * | is at a computed place and has no new rows | the end, unless the total is larger |
 * | is at a computed place and repeats the first page, as from a static file | the end, unless it looks like a full page |
 * | is at an announced place and has no new rows | contradicted, because the server announced more |
 * | names no next page, and the total agrees | the end |
 * | names no next page, and is shorter than an earlier page | the end |
 * | names no next page, and is as long as the others | unproven |
 * | is the only page | the end, unless it looks like a full page: see `judgeLonePage` |
 */
export function judgeEnd(seen: PagesSoFar, next: NextStep, hints: EndHints): EndVerdict {
  const verdict =
    next === 'own' || seen.last.way === 'own' ? judgeOwn(seen, next, hints) : judgeGiven(seen, next, hints);
  if (verdict.kind !== 'unproven') return verdict;
  return hints.isTrusted || (hints.isPart && verdict.doubt.kind !== 'silent') ? ENDED : verdict;
}

function judgeOwn(seen: PagesSoFar, next: NextStep, hints: EndHints): EndVerdict {
  const { pages, last, position, largestBefore } = seen;
  const total = countOf(seen, hints);
  if (pages > 1 && last.news === 0) return judgePastEnd(seen, total, hints);
  if (next !== 'own' || last.rows === 0) return judgeCount(seen, total);
  if (total === null || position < total) return MORE;
  return last.rows < largestBefore || hints.isPart ? judgeCount(seen, total) : MORE;
}

/** Judges a listing if a page at a computed place had no new rows. */
function judgePastEnd(seen: PagesSoFar, total: number | null, hints: EndHints): EndVerdict {
  const { pages, last, different } = seen;
  const isFirstAgain = pages === 2 && last.rows > 0;
  if (last.unknown > 0) return contradict({ kind: 'repeated' });
  // Past the end, some servers state a total of 0, so only a larger total shows that rows are missing.
  if (last.total !== null && last.total > different)
    return contradict({ kind: 'miscounted', rows: different, total: last.total });
  const counted = judgeCount(seen, total);
  // A static file returns the same rows for every page, and so does a server that ignores the place.
  return counted.kind === 'ended' && isFirstAgain
    ? judgeLonePage(seen, total === null ? 'own' : 'only', hints)
    : counted;
}

function judgeGiven(seen: PagesSoFar, next: NextStep, hints: EndHints): EndVerdict {
  const { pages, last, largestBefore } = seen;
  const isOver = pages > 1 && last.news === 0;
  if (isOver && last.rows > 0) return contradict({ kind: 'repeated' });
  if (next === 'announced' && seen.gapsInRow < MOST_GAPS) return MORE;
  if (seen.gaps > 0 && !hints.isPart) return contradict({ kind: 'announced nothing' });
  if (next === 'announced') return MORE;
  const total = countOf(seen, hints);
  const counted = judgeCount(seen, total);
  if (counted.kind !== 'ended' || (total !== null && next !== 'only')) return counted;
  if (next === 'silent') return doubt({ kind: 'silent' });
  if (pages === 1) return judgeLonePage(seen, next, hints);
  return last.rows < largestBefore ? ENDED : doubt({ kind: 'full page', rows: last.rows, pages });
}

/** Judges a single page. Only its size and its content show if it is complete. */
function judgeLonePage({ first: { rows } }: PagesSoFar, next: NextStep, hints: EndHints): EndVerdict {
  const { asked, fullPage, other } = hints;
  if (asked.has(rows)) return doubt({ kind: 'as asked', rows });
  if (USUAL_LIMITS.has(rows) && other.content) return doubt({ kind: 'as before', rows });
  if (next === 'only' || rows === 0) return ENDED;
  if (fullPage !== null && rows >= fullPage) return doubt({ kind: 'full page', rows, pages: 1 });
  return other.rows ? doubt({ kind: 'as before', rows }) : ENDED;
}

/**
 * Returns the total number of rows that the server states. Returns null if there is no total, or if the total is the
 * number of rows on a page.
 */
function countOf({ pages, first, total, countsPages, different }: PagesSoFar, hints: EndHints): number | null {
  if (first.total === null) return null;
  const isOfPage = countsPages && (hints.countsPages || (pages > 1 && total !== null && different > total));
  return isOfPage ? null : total;
}

function judgeCount({ first, different }: PagesSoFar, total: number | null): EndVerdict {
  if (total === null) return ENDED;
  if (first.total !== total && first.total !== null) return contradict({ kind: 'moved', from: first.total, to: total });
  return total === different ? ENDED : contradict({ kind: 'miscounted', rows: different, total });
}

function contradict(found: EndDoubt): EndVerdict {
  return { kind: 'contradicted', doubt: found };
}

function doubt(found: EndDoubt): EndVerdict {
  return { kind: 'unproven', doubt: found };
}
