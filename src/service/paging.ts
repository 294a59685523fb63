import type * as z from 'zod';
import { parseRows, type Rows } from './answer.js';
import type { CallAnswer } from './call.js';
import { IdSet } from './id-set.js';

/** The part of a list to ask for. */
export interface Slice {
  readonly offset: number;
  readonly size: number;
}

/** The rows of a list that comes in pages. */
export type Pages<Row> = AsyncGenerator<readonly Row[], void, undefined>;

export interface RowsOfPage<T> {
  readonly rows: Rows<T>;
  /** The total number of rows; null if the answer does not say. */
  readonly total: number | null;
}

export interface Paging<T> {
  /** Rows to ask for per page. */
  readonly size: number;
  readPage(offset: number): Promise<RowsOfPage<T>>;
  idOf(row: T): string;
}

export interface FreshPage<T> {
  /** Rows not delivered before in this read. */
  readonly rows: readonly T[];
  /** Number of rows received, including repeated ones. */
  readonly count: number;
  readonly total: number | null;
}

/**
 * Yields every row of a list that is paged by offset, each once. Such paging shifts when rows are added or removed
 * during the read, so a row may come twice (the repeat is dropped) or not at all. Absence from one read therefore
 * proves nothing.
 *
 * | page                                  | then                                                          |
 * |---------------------------------------|---------------------------------------------------------------|
 * | empty, or known rows only             | end: the list is over, or this server does not page           |
 * | more rows than asked                  | end: this server does not page                                |
 * | with a total                          | end when it is reached; a short page alone ends nothing       |
 * | without, fewer rows than asked        | end (spec, Users; Custom tags)                                |
 */
export async function* readPages<T>({
  size,
  readPage,
  idOf,
}: Paging<T>): AsyncGenerator<FreshPage<T>, void, undefined> {
  const seen = new IdSet();
  for (let offset = 0; ; ) {
    const { rows, total } = await readPage(offset);
    let [count, news] = [0, 0];
    // A page too long for memory comes in pieces.
    for await (const piece of Symbol.asyncIterator in rows ? rows : [rows]) {
      const fresh = piece.filter((row) => seen.add(idOf(row)));
      count += piece.length;
      news += fresh.length;
      yield { rows: fresh, count: piece.length, total };
    }
    offset += count;
    if (news === 0 || count > size) return;
    if (total === null ? count < size : offset >= total) return;
  }
}

/** Yields the rows of a list whose answers contain only rows, page by page. Pages without a new row are skipped. */
export async function* listRows<T extends z.ZodType<{ readonly id: string }>>(
  size: number,
  ask: (offset: number) => Promise<CallAnswer>,
  row: T,
  ...wrappers: readonly string[]
): Pages<z.output<T>> {
  const pages = readPages<z.output<T>>({
    size,
    readPage: async (offset) => ({ rows: parseRows(await ask(offset), row, ...wrappers), total: null }),
    idOf: ({ id }) => id,
  });
  for await (const { rows } of pages) if (rows.length > 0) yield rows;
}
