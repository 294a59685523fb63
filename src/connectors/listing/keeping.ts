import type { Json } from '../../model/json.js';
import type { KnownRow, KnownRows } from '../connector.js';

const KEEP_ROWS = 500;

/** Gathers what a read learns, and writes it down in batches. */
export class Keeping {
  #batch: KnownRow[] = [];
  #buried: string[] = [];

  /** @param withBodies false where every read is whole, and only who is deleted has to be remembered */
  constructor(
    private readonly rows: KnownRows,
    private readonly round: number,
    private readonly withBodies: boolean,
  ) {}

  add(row: KnownRow): void {
    if (this.#batch.push(this.withBodies ? row : { ...row, body: null }) >= KEEP_ROWS) this.flush();
  }

  /** A row as it came last, in this read or an earlier one; null where there is none. */
  find(id: string): Json {
    const here = this.#batch.findLast((row) => row.id === id);
    return here === undefined ? this.rows.find(id) : here.body;
  }

  /** The record is deleted in the source; known or not, it is remembered as such. */
  bury(id: string): void {
    this.#buried.push(id);
    this.add({ id, key: id, body: null });
  }

  flush(): void {
    this.rows.keep(this.#batch, this.round);
    this.rows.bury(this.#buried);
    [this.#batch, this.#buried] = [[], []];
  }
}
