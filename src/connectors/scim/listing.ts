import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { findAttribute } from '../../scim/flatten-user.js';
import type { ListQuery, PageStart, ScimClient, ScimPage } from './client.js';

/** A provider that always has one more page is broken; at 100 a page this is a million users. */
const MOST_PAGES = 10_000;
/** A listing whose cursor expires each time would never end. */
const RESTARTS = 3;

export interface Pass {
  readonly at: string;
  /** Why it does not prove itself whole, null when it does. */
  readonly because: string | null;
  readonly withoutId: number;
}

/** @param position 1-based place of the row in the listing */
export type TakeScimRow = (row: Json, id: string | null, at: string, position: number) => void;

/** How a provider wants to be paged through, and how many rows it gives at most. */
export interface PagingStrategy {
  readonly byCursor: boolean;
  readonly count: number;
}

export function chooseManner(
  paging: 'auto' | 'index' | 'cursor',
  pageSize: number,
  capabilities: JsonObject | null,
): PagingStrategy {
  const pagination = capabilities === null ? undefined : findAttribute(capabilities, 'pagination');
  const filter = capabilities === null ? undefined : findAttribute(capabilities, 'filter');
  const most = isJsonObject(filter) ? findAttribute(filter, 'maxResults') : undefined;
  const count = typeof most === 'number' && most > 0 ? Math.min(pageSize, most) : pageSize;
  if (paging !== 'auto' || !isJsonObject(pagination)) return { byCursor: paging === 'cursor', count };
  const has = (name: string): boolean => findAttribute(pagination, name) === true;
  const prefers = String(findAttribute(pagination, 'defaultPaginationMethod')).toLowerCase() === 'cursor';
  return { byCursor: has('cursor') && (prefers || !has('index')), count };
}

/**
 * All pages, once. By index, servers cap `count` as they like, so the next page begins after the rows that came; users created
 * or deleted meanwhile shift the pages, so that one can come twice or not at all, and some servers answer the first page again
 * past the end. So the pass ends at `totalResults` or at a page without news, and proves itself whole only when the distinct
 * ids are as many as the server said, on the first page and on the last.
 */
export async function readPass(
  client: ScimClient,
  query: ListQuery,
  byCursor: boolean,
  take: TakeScimRow,
  signal?: AbortSignal,
): Promise<Pass> {
  for (let restarts = 0; ; restarts++) {
    const pass = await tryPass(client, query, byCursor, take, signal);
    if (pass !== null) return pass;
    // Nothing is lost: rows are known by their ids, and those that came already are not news.
    if (restarts === RESTARTS) {
      const because = `the provider's cursors expired ${RESTARTS + 1} times before the listing ended`;
      return { at: '', because, withoutId: 0 };
    }
  }
}

/** null when a cursor was lost on the way. */
async function tryPass(
  client: ScimClient,
  query: ListQuery,
  byCursor: boolean,
  take: TakeScimRow,
  signal: AbortSignal | undefined,
): Promise<Pass | null> {
  const seen = new Set<string>();
  let position = 1;
  let firstTotal: number | null = null;
  let withoutId = 0;
  let start: PageStart = byCursor ? { cursor: '' } : { index: 1 };
  for (let pages = 1; ; pages++) {
    const page: ScimPage | null = await client.list(query, start, signal);
    if (page === null) return null;
    if (pages === 1) firstTotal = page.totalResults;
    let [news, count] = [0, 0];
    for await (const batch of page.rows) {
      for (const row of batch) {
        const id = readId(row);
        const place = position + count++;
        if (id !== null && seen.has(id)) continue;
        news++;
        if (id === null) withoutId++;
        else seen.add(id);
        take(row, id, page.at, place);
      }
    }
    position += count;
    const isLast = byCursor
      ? page.nextCursor === null
      : news === 0 || (page.totalResults !== null && position > page.totalResults);
    // A cursor may lead to an empty page, but not to ever more of them.
    const isStuck = byCursor && news === 0 && pages > 1 && count > 0;
    if (!isLast && !isStuck && pages < MOST_PAGES) {
      start = byCursor ? { cursor: page.nextCursor ?? '' } : { index: position };
      continue;
    }
    const because = isLast ? judge(seen.size, withoutId, firstTotal, page.totalResults) : describeEndless(isStuck);
    return { at: page.at, because, withoutId };
  }
}

function judge(unique: number, withoutId: number, firstTotal: number | null, lastTotal: number | null): string | null {
  if (withoutId > 0) return `${withoutId} users came without an id, so nobody can be shown to be missing`;
  if (firstTotal === null || lastTotal === null)
    return 'the provider does not say how many users there are (totalResults)';
  if (firstTotal !== lastTotal) return `totalResults changed from ${firstTotal} to ${lastTotal} during the read`;
  if (unique !== firstTotal) return `${unique} different users came, the provider counts ${firstTotal}`;
  return null;
}

function describeEndless(isStuck: boolean): string {
  return isStuck ? 'the provider repeats its pages' : `more than ${MOST_PAGES} pages`;
}

export function readId(row: Json): string | null {
  const value = isJsonObject(row) ? findAttribute(row, 'id') : undefined;
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** The same whatever order the attributes of a row come in. */
export const printRow = (row: Json): string => canonicalJson(row);
