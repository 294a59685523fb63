import type { Json } from '../../model/json.js';
import type { KnownRow, KnownRows } from '../connector.js';

const KEEP_ROWS = 500;

/** Collects the results of a read and stores them in batches. */
export class Keeping {
  #batch: KnownRow[] = [];
  #buried: string[] = [];

  /** @param withBodies false if every read is complete, so that only deletions must be remembered */
  constructor(
    private readonly rows: KnownRows,
    private readonly round: number,
    private readonly withBodies: boolean,
  ) {}

  add(row: KnownRow): void {
    if (this.#batch.push(this.withBodies ? row : { ...row, body: null }) >= KEEP_ROWS) this.flush();
  }

  /** Returns the last row with an id, from this read or an earlier one; null if there is none. */
  find(id: string): Json {
    const here = this.#batch.findLast((row) => row.id === id);
    return here === undefined ? this.rows.find(id) : here.body;
  }

  /** Remembers that a record is deleted in the source, even if the record was not known. */
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
