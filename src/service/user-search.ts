import { parseAnswer } from './answer.js';
import type { ReadCall } from './call.js';
import { listOf, WireUser } from './wire.js';

export interface SearchOptions {
  /** Users a page, 1 to 500 (spec, Limits); 500 unless told. */
  readonly size?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface SearchPage {
  /** Users not delivered before in this read. */
  readonly users: readonly WireUser[];
  /** Rows of the page as it came, repeated ones included. */
  readonly rows: number;
}

const PAGE_SIZE = 500;

/**
 * All users, deactivated ones included. Paging by `from` shifts when users come or go meanwhile: someone may come twice
 * (dropped here) or not at all, so absence from this read alone proves nothing (design, What the spec forces).
 */
export async function* searchUsers(
  call: ReadCall,
  options: SearchOptions,
): AsyncGenerator<SearchPage, void, undefined> {
  const size = options.size ?? PAGE_SIZE;
  const seen = new Set<string>();
  for (let from = 0; ; from += size) {
    const answer = await call({
      endpoint: 'searchUsers',
      query: { from, size, deactivated: true },
      signal: options.signal,
    });
    const page = parseAnswer(answer, listOf(WireUser, 'users'));
    const users = page.filter((user) => !seen.has(user.id));
    for (const user of users) seen.add(user.id);
    yield { users, rows: page.length };
    if (page.length < size) return;
  }
}
