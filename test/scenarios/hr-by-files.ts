import type { Both, BothRow } from './both.js';

/** A row of HR, with its number there. */
export type NumberedRow = BothRow & { readonly id: string };

/**
 * An imaginary HR system. It takes files in at its own time, cell by cell, and never over its own edits that the file
 * did not include.
 */
export class HrByFiles<Kept extends NumberedRow> {
  /** The rows of HR, by the test's name of each person. */
  readonly rows: Map<string, Kept>;
  delivered: ReadonlyMap<string, Kept> = new Map();
  /** The number of the first file that includes an edit of HR. */
  private readonly showsFrom = new Map<string, number>();
  /** The rows that HR had delivered when each file was written. */
  private readonly shownAt: ReadonlyMap<string, Kept>[] = [];
  private taken = 0;

  constructor(
    private readonly both: Both,
    people: Iterable<readonly [name: string, row: Kept]>,
  ) {
    this.rows = new Map(people);
  }

  rowOf(name: string): Kept {
    const row = this.rows.get(name);
    if (row === undefined) throw new Error(`nobody is called ${name}`);
    return row;
  }

  set(name: string, change: Partial<Kept>): void {
    this.rows.set(name, { ...this.rowOf(name), ...change, modified: this.both.at(0) });
    for (const column of Object.keys(change)) this.showsFrom.set(`${name} ${column}`, Number.POSITIVE_INFINITY);
  }

  deliver(): void {
    this.noteFiles();
    this.both.deliver(...[...this.rows.values()].map((row) => [row.id, row] as const));
    this.delivered = new Map(this.rows);
    for (const [cell, from] of this.showsFrom)
      if (from === Number.POSITIVE_INFINITY) this.showsFrom.set(cell, this.shownAt.length);
  }

  /** Notes HR's last delivery for each new file, since HR compares the cells of the file with it. */
  private noteFiles(): void {
    while (this.shownAt.length < this.both.deliveries().length) this.shownAt.push(this.delivered);
  }

  takeIn(): void {
    this.noteFiles();
    const files = this.both.deliveries().slice(this.taken);
    for (const file of files) {
      for (const [name, { id }] of this.rows) this.takeRow(name, file[id] ?? {});
      this.taken += 1;
    }
  }

  private takeRow(name: string, cells: Readonly<Record<string, string>>): void {
    const shown: Readonly<Record<string, string | undefined>> = this.shownAt[this.taken]?.get(name) ?? {};
    const fresh = Object.entries(cells).filter(
      ([column, cell]) =>
        sorted(cell) !== sorted(shown[column] ?? '') && (this.showsFrom.get(`${name} ${column}`) ?? 0) <= this.taken,
    );
    if (fresh.length === 0) return;
    this.rows.set(name, { ...this.rowOf(name), ...Object.fromEntries(fresh), modified: this.both.at(0) });
  }
}

export const sorted = (list: string): string => list.split(',').filter(Boolean).sort().join();
