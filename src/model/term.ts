/** How long what mapping made of a content stands: until the content is another, or no longer than this month, or this day. */
export type Term = 'always' | 'month' | 'day';

/**
 * The digest of a content with the term of what was made of it: who looks for one of a month finds those of that month alone.
 *
 * @param digest 22 characters, of which a term takes the last
 * @param day ISO 8601
 */
export function markTerm(digest: string, term: Term, day: string): string {
  if (term === 'always') return digest;
  if (term === 'day') return `${digest.slice(0, -1)}.`;
  const [year = 0, month = 0] = day.split('-').map(Number);
  const code = (year * 12 + month).toString(36);
  return `${digest.slice(0, -code.length - 1)}${code}~`;
}

/** What another day may make something else of. */
export function isOfDay(digest: string): boolean {
  return digest.endsWith('.');
}

/** The first moments of the month of a day and of the next one, in UTC: what is the same at both may stand for the month. */
export function edgesOfMonth(day: Date): readonly [Date, Date] {
  const edge = (months: number): Date => new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + months, 1));
  return [edge(0), edge(1)];
}

/** The part of an ISO 8601 moment that the term goes by: what begins with it is of the same term. */
export function spanOf(term: Term, day: string): string {
  return { always: '', month: day.slice(0, 7), day }[term];
}

/** The term of what stands for the moments that begin so. */
export function termOfSpan(span: string): Term {
  if (span === '') return 'always';
  return span.length === 7 ? 'month' : 'day';
}

/** The shorter of the two. */
export function shorterTerm(one: Term, other: Term): Term {
  const terms: readonly Term[] = ['day', 'month', 'always'];
  return terms.find((term) => term === one || term === other) ?? one;
}
