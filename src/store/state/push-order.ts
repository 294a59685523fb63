import type { Sqlite } from '../sqlite.js';
import { createStatements, type RowOf } from '../statements.js';
import type { pushedResources } from './state-schema.js';

export type PushType = RowOf<typeof pushedResources>['type'];

/** How many rows there are, and where one of them is in the order of arrival. */
export type PushOrder = ReturnType<typeof createPushOrder>;

interface KnownOrder {
  total: number | null;
  /** Rows before one → its `seq`. */
  readonly places: Map<number, number>;
}

/** Each is a page that a client may go on from. */
const MOST_PLACES = 500;

/**
 * To count rows, or to skip some, SQLite goes through all of them: what was found is remembered, so that a client that
 * goes from page to page skips no more than a page at a time. New rows come last, and move no place. Another process may
 * write as well: then all of it is found anew.
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
    // What a transaction sees may be undone with it.
    if (!sqlite.inTransaction) orders.set(key, order);
    return order;
  }

  return {
    total(source: string, type: PushType): number {
      const order = orderOf(source, type);
      order.total ??= countRows({ source, type });
      return order.total;
    },
    /** The `seq` of the row that so many come before; null where there are no more. */
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
