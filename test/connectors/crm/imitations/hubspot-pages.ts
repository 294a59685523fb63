import { invalid } from './hubspot-errors.js';
import type { VendorReply, VendorRequest } from './vendor-server.js';

/** Pages continue after the last id seen, so new or deleted rows neither shift nor repeat the others. */
export function page<Row extends { readonly id: string }>(
  request: VendorRequest,
  url: string,
  rows: readonly Row[],
  matches: (row: Row) => boolean,
  { standard, most }: { readonly standard: number; readonly most: number },
  showRow: (row: Row) => object,
): VendorReply {
  const limit = Number(request.query.get('limit') ?? standard);
  if (!Number.isInteger(limit) || limit < 1 || limit > most) throw invalid(`limit must be between 1 and ${most}`);
  const cursor = request.query.get('after');
  const left = cursor === null || cursor === '' ? rows : rows.slice(countUpTo(rows, readCursor(cursor)));
  const shown = takeMatching(left, matches, limit + 1);
  const results = shown.slice(0, limit).map(showRow);
  if (shown.length <= limit) return { status: 200, body: { results } };
  const after = Buffer.from(`${shown[limit - 1]?.id}\n`).toString('base64');
  const next = new URLSearchParams(request.query);
  next.set('after', after);
  return { status: 200, body: { results, paging: { next: { after, link: `${url}${request.path}?${next}` } } } };
}

/** Counts the rows, which are sorted by id, up to and including that one. */
function countUpTo(rows: readonly { readonly id: string }[], id: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (Number(rows[middle]?.id) <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function takeMatching<Row>(rows: readonly Row[], matches: (row: Row) => boolean, most: number): Row[] {
  const taken: Row[] = [];
  for (const row of rows) {
    if (taken.length === most) break;
    if (matches(row)) taken.push(row);
  }
  return taken;
}

function readCursor(cursor: string): number {
  const id = Buffer.from(cursor, 'base64').toString();
  if (!/^\d+\n$/.test(id)) throw invalid('the after cursor cannot be read');
  return Number(id);
}
