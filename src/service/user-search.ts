import { parseRows } from './answer.js';
import type { ReadCall } from './call.js';
import { readPages } from './paging.js';
import { WireUser } from './wire.js';

export interface SearchOptions {
  /** Users a page, 1 to 500 (spec, Limits); 500 unless told. */
  readonly size?: number;
  /** False leaves out the deactivated ones. */
  readonly deactivated?: boolean;
  /** Part of name, e-mail or external id, or something similar: match exactly yourself, or use `find`. */
  readonly name?: string;
  readonly role?: string;
  readonly officeIds?: readonly string[];
  /** The spec's `role` is left out: it is deprecated and gives no order to page by. */
  readonly sortBy?: 'name' | 'relevance' | 'country';
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
 * All users, deactivated ones included unless told. Paging by `from` shifts when users come or go meanwhile, so absence
 * from this read alone proves nothing (design, What the spec forces).
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
