/** A page of a listing, as far as the end of the listing is judged by it. */
export interface SeenPage {
  /** `own`: at a place that we worked out; `announced`: at a place that the server gave. */
  readonly way: 'first' | 'own' | 'announced';
  readonly rows: number;
  /** Rows that had not come before in this read. */
  readonly news: number;
  /** Rows that have no id, where the same one could come again and again. */
  readonly unknown: number;
  /** How many rows there are in all, as the answer says; null where it doesn't. */
  readonly total: number | null;
}

/** What is known of a listing while its pages come. */
export interface PagesSoFar {
  readonly pages: number;
  readonly first: SeenPage;
  readonly last: SeenPage;
  /** Rows, repeated ones included. */
  readonly position: number;
  readonly different: number;
  /** The largest page before the last one. */
  readonly largestBefore: number;
  /** The count of the last page that brought a new row. */
  readonly total: number | null;
  /** Every count so far was that of a page. */
  readonly countsPages: boolean;
  /** Pages that the server had announced and that were empty, in all and since the last row. */
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
 * What may follow a page: a place that we work out, one that the server gave, or none; then the server `said` that this was the
 * last page, was `silent`, or is asked once for everything (`only`).
 */
export type NextStep = 'own' | 'announced' | 'said' | 'silent' | 'only';

/** For a glance at a listing: a count above the rows of the first page is not that of the page, and a second page shows it too. */
export function isCountClear({ pages, position, total }: PagesSoFar): boolean {
  return pages > 1 || total === null || total > position;
}

/** What may make us believe an end, or doubt it, besides the pages themselves. */
export interface EndHints {
  /** Only a part is asked for, such as what changed: it proves nobody's absence, and must only not be cut. */
  readonly isPart: boolean;
  /** The configuration says that the server's own word is enough. */
  readonly isTrusted: boolean;
  /** Numbers in the query: one of them may be a limit. */
  readonly asked: ReadonlySet<number>;
  /** Rows of a full page, as an earlier read of more than one page has shown; null where none has. */
  readonly fullPage: number | null;
  /** An earlier read showed that the server counts the rows of a page, and not all of them. */
  readonly countsPages: boolean;
  /** What an earlier read of one page as long as this one had: other rows, or other contents. */
  readonly other: { readonly rows: boolean; readonly content: boolean };
}

/** Where a doubt comes from; `describeEnd` in describe-end.ts puts it into words. */
export type EndDoubt =
  | { readonly kind: 'repeated' }
  | { readonly kind: 'announced nothing' }
  | { readonly kind: 'moved'; readonly from: number; readonly to: number }
  | { readonly kind: 'miscounted'; readonly rows: number; readonly total: number }
  | { readonly kind: 'silent' }
  | { readonly kind: 'full page'; readonly rows: number; readonly pages: number }
  | { readonly kind: 'as asked'; readonly rows: number }
  | { readonly kind: 'as before'; readonly rows: number };

/** `contradicted`: one sign says that something is missing. `unproven`: nothing says that nothing is. */
export type EndVerdict =
  | { readonly kind: 'more' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'contradicted' | 'unproven'; readonly doubt: EndDoubt };

const MORE: EndVerdict = { kind: 'more' };
const ENDED: EndVerdict = { kind: 'ended' };
/** Some servers filter pages after they have cut them; one that announces nothing again and again never ends. */
const MOST_GAPS = 2;

/** What servers usually give at most. */
const USUAL_LIMITS: ReadonlySet<number> = new Set([50, 100, 200, 250, 500, 1_000]);

/**
 * The one rule by which listings of sources end. A count can disprove an end; it proves none where we can ask once more.
 *
 * | the last page | what follows |
 * |---|---|
 * | asked for at a place of our own, and the count is not reached, or there is none | the next page |
 * | the same, the count is reached, and the page is shorter than an earlier one | the end |
 * | the same, and it is as long as the others or the only one: the server may have cut it | one request more |
 * | brings nothing new at a place of our own | the end, unless the count says more |
 * | is the first one again at a place of our own, as a static file answers | the end, unless it looks like a full page |
 * | brings nothing new at a place that the server gave | contradicted: the server had said that there is more |
 * | names no next one, and the count agrees | the end |
 * | names no next one, and is shorter than an earlier page | the end |
 * | names no next one, and is as long as the others | unproven |
 * | is the only one | the end, unless it looks like a full page: see `judgeLonePage` |
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

/** A place of our own brought nothing new. */
function judgePastEnd(seen: PagesSoFar, total: number | null, hints: EndHints): EndVerdict {
  const { pages, last, different } = seen;
  const isFirstAgain = pages === 2 && last.rows > 0;
  if (last.unknown > 0) return contradict({ kind: 'repeated' });
  // Past the end some servers count nothing: only a larger number says that rows are missing.
  if (last.total !== null && last.total > different)
    return contradict({ kind: 'miscounted', rows: different, total: last.total });
  const counted = judgeCount(seen, total);
  // A file answers every page alike, and so does a server that ignores where we ask.
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

/** Nothing but its own look says whether a page that came alone is all there is. */
function judgeLonePage({ first: { rows } }: PagesSoFar, next: NextStep, hints: EndHints): EndVerdict {
  const { asked, fullPage, other } = hints;
  if (asked.has(rows)) return doubt({ kind: 'as asked', rows });
  if (USUAL_LIMITS.has(rows) && other.content) return doubt({ kind: 'as before', rows });
  if (next === 'only' || rows === 0) return ENDED;
  if (fullPage !== null && rows >= fullPage) return doubt({ kind: 'full page', rows, pages: 1 });
  return other.rows ? doubt({ kind: 'as before', rows }) : ENDED;
}

/** How many rows there are as the server counts them; null where it does not, or counts those of a page. */
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
