import type { KnownRow, KnownRows } from '../connector.js';

const KEEP_ROWS = 500;

/** Gathers what a read learns, and writes it down in batches. */
export interface Keeping {
  add(row: KnownRow): void;
  /** The record is deleted in the source; known or not, it is remembered as such. */
  bury(id: string): void;
  flush(): void;
}

/** @param withBodies false where every read is whole, and only who is deleted has to be remembered */
export function keepInBatches(rows: KnownRows, round: number, withBodies: boolean): Keeping {
  let batch: KnownRow[] = [];
  let buried: string[] = [];
  const flush = (): void => {
    rows.keep(batch, round);
    rows.bury(buried);
    [batch, buried] = [[], []];
  };
  const push = (row: KnownRow): void => {
    if (batch.push(row) >= KEEP_ROWS) flush();
  };
  return {
    flush,
    add: (row) => push(withBodies ? row : { ...row, body: null }),
    bury: (id) => {
      buried.push(id);
      push({ id, key: id, body: null });
    },
  };
}
