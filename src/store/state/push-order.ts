import type { Sqlite } from '../sqlite.js';
import { createStatements, type RowOf } from '../statements.js';
import type { pushedResources } from './state-schema.js';

export type PushType = RowOf<typeof pushedResources>['type'];

/** Caches the number of rows, and the positions of rows in order of arrival. */
export type PushOrder = ReturnType<typeof createPushOrder>;

interface KnownOrder {
  total: number | null;
  /** Maps a number of preceding rows to the row's `seq`. */
  readonly places: Map<number, number>;
}

/** Maximum number of cached positions. Each is a page where a client may continue. */
const MOST_PLACES = 500;

/**
 * Caches counts and positions, because SQLite scans rows to count or skip them. A client that reads page by page then
 * skips at most one page. New rows come last, so positions stay valid. If another process has written, the cache is
 * cleared.
 */
export function createPushOrder(sqlite: Sqlite) {
  const { count, value } = createStatements(sqlite);
  const countRows = count('SELECT count(*) FROM pushed_resources WHERE source = $source AND type = $type');
  const seqFrom = value<number>(
    `SELECT seq FROM pushed_resources WHERE source = $source AND type = $type AND seq >= $from
     ORDER BY seq LIMIT 1 OFFSET $skipped`,
  );
  const readFileVersion = value<number>('SELECT data_version FROM pragma_data_version');
  const orders = new Map<string, KnownOrder>();
  let fileVersion: number | null = null;

  function orderOf(source: string, type: PushType): KnownOrder {
    const version = readFileVersion();
    if (version !== fileVersion) orders.clear();
    fileVersion = version;
    const key = `${type} ${source}`;
    const order = orders.get(key) ?? { total: null, places: new Map() };
    // Uncommitted rows may be rolled back, so they are not cached.
    if (!sqlite.inTransaction) orders.set(key, order);
    return order;
  }

  return {
    total(source: string, type: PushType): number {
      const order = orderOf(source, type);
      order.total ??= countRows({ source, type });
      return order.total;
    },
    /** The `seq` of the row at this offset; null if there is none. */
    seqAt(source: string, type: PushType, offset: number): number | null {
      const { places } = orderOf(source, type);
      let near = 0;
      for (const place of places.keys()) if (place <= offset && place > near) near = place;
      const seq = seqFrom({ source, type, from: places.get(near) ?? 0, skipped: offset - near });
      if (places.size >= MOST_PLACES) places.clear();
      if (seq !== null) places.set(offset, seq);
      return seq;
    },
    noteInsert(source: string, type: PushType): void {
      orderOf(source, type).total = null;
    },
    noteRemoval(source: string, type: PushType): void {
      orders.delete(`${type} ${source}`);
    },
  };
}
