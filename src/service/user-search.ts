import { parseRows } from './answer.js';
import type { ReadCall } from './call.js';
import { readPages } from './paging.js';
import { WireUser } from './wire.js';

export interface SearchOptions {
  /** Users per page, 1 to 500 (spec, Limits); 500 by default. */
  readonly size?: number;
  /** False leaves out deactivated users. */
  readonly deactivated?: boolean;
  /**
   * Part of name, e-mail or external id, or something similar. Callers who need an exact match must compare the hits,
   * or use `find`.
   */
  readonly name?: string;
  readonly role?: string;
  readonly officeIds?: readonly string[];
  /** The spec's `role` is left out: it is deprecated and gives no order for paging. */
  readonly sortBy?: 'name' | 'relevance' | 'country';
  readonly signal?: AbortSignal | undefined;
}

export interface SearchPage {
  /** Users not delivered before in this read. */
  readonly users: readonly WireUser[];
  /** Number of rows on the page, including repeated ones. */
  readonly rows: number;
}

const PAGE_SIZE = 500;

/**
 * All users, by default including deactivated ones. Paging by `from` shifts when users are added or removed during the
 * read, so absence from this read alone proves nothing (design, What the spec forces).
 */
export async function* searchUsers(
  call: ReadCall,
  options: SearchOptions,
): AsyncGenerator<SearchPage, void, undefined> {
  const { size = PAGE_SIZE, deactivated = true, name, role, officeIds, sortBy, signal } = options;
  const filter = { deactivated, name, role, 'office_ids[]': officeIds, sort_by: sortBy };
  const pages = readPages<WireUser>({
    size,
    async readPage(from) {
      const answer = await call({ endpoint: 'searchUsers', query: { from, size, ...filter }, signal });
      return { rows: parseRows(answer, WireUser, 'users'), total: null };
    },
    idOf: (user) => user.id,
  });
  for await (const page of pages) yield { users: page.rows, rows: page.count };
}
