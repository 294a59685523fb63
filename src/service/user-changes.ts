import { collectRows, serviceAnswerError } from './answer.js';
import type { ReadCall } from './call.js';
import { WireUser } from './wire.js';

export interface ChangesQuery {
  /** ISO 8601, exactly as the service wrote it. */
  readonly since: string;
  readonly afterId?: string | undefined;
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ChangesOptions {
  /** A timestamp from the service, verbatim; users with exactly this timestamp come again. */
  readonly since: string;
  /** Users per page; 500 by default. */
  readonly limit?: number;
  /** How far the limit may grow if many users share a timestamp; 8,000 by default. */
  readonly longestLimit?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ChangesPage {
  /** Users not delivered before in this read. */
  readonly users: readonly WireUser[];
  /** Where a later read continues: the last timestamp seen, verbatim, to use as `since`. */
  readonly resumeFrom: string;
  /** True if more users share one timestamp than can be read; only a full read finds the others. This is then the last page. */
  readonly overflow: boolean;
}

const PAGE_LIMIT = 500;
const LONGEST_LIMIT = 8_000;

/** One page of the feed (spec, Rules for users/changes). */
export async function readChangesPage(call: ReadCall, query: ChangesQuery): Promise<readonly WireUser[]> {
  const answer = await call({
    endpoint: 'readUserChanges',
    query: { profile_updated_since: query.since, after_id: query.afterId, limit: query.limit },
    signal: query.signal,
  });
  const users = await collectRows(answer, WireUser, 'users');
  if (users.every((user) => typeof user.profile_updated_at === 'string')) return users;
  throw serviceAnswerError(answer, 'A user in the users feed has no profile_updated_at.');
}

/**
 * Reads the complete feed from a timestamp on. Timestamps have no fractions of a second, so any number of users may
 * share one. `after_id` can be read in two ways: *exact* leaves out only that user (rule 1), and *keyset* leaves out
 * everyone up to that user (rule 2 suggests this). This code is correct under both:
 *
 * - the first call has no `after_id`, so a later change within the same second as the cursor is not lost;
 * - each further call names the last user of the previous page, with the timestamp verbatim;
 * - under the exact reading, the other users of that second come again and are dropped here;
 * - a full page that ends at its own `since` shows that the second has more users than fit in a page, so the limit is
 *   doubled. When the limit cannot grow, the read continues from the last user (keyset) if the page had new users, and
 *   reports `overflow` if it had none.
 */
export async function* readChanges(
  call: ReadCall,
  { since, limit = PAGE_LIMIT, longestLimit: longest = LONGEST_LIMIT, signal }: ChangesOptions,
): AsyncGenerator<ChangesPage, void, undefined> {
  let at: Cursor = { since, afterId: undefined, limit: Math.min(limit, longest), seen: new Set() };
  for (;;) {
    const page = await readChangesPage(call, { since: at.since, afterId: at.afterId, limit: at.limit, signal });
    const users = page.filter((user) => !at.seen.has(keyOf(user)));
    const last = page.at(-1);
    const resumeFrom = last?.profile_updated_at ?? at.since;
    const isFull = page.length >= at.limit;
    const overflow = isFull && resumeFrom === at.since && at.limit >= longest && users.length < page.length;
    const isLast = !isFull || overflow;
    if (users.length > 0 || isLast) yield { users, resumeFrom, overflow };
    if (isLast || last === undefined) return;
    at = advance(at, { since: resumeFrom, afterId: last.id }, page, longest);
  }
}

interface Cursor {
  readonly since: string;
  readonly afterId: string | undefined;
  readonly limit: number;
  /** Users with the timestamp `since` that have been delivered. */
  readonly seen: ReadonlySet<string>;
}

function advance(
  { since, limit, seen }: Cursor,
  to: Pick<Cursor, 'since' | 'afterId'>,
  page: readonly WireUser[],
  longest: number,
): Cursor {
  // Only users with the last timestamp can come again, because the feed is ordered by timestamp.
  const again = page.filter((user) => user.profile_updated_at === to.since).map(keyOf);
  if (to.since !== since) return { ...to, limit, seen: new Set(again) };
  return { ...to, limit: Math.min(longest, limit * 2), seen: new Set([...seen, ...again]) };
}

function keyOf(user: WireUser): string {
  return `${user.profile_updated_at} ${user.id}`;
}
