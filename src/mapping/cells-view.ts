import type { Cell } from '../model/source.js';

/** Remembers which source was asked for a cell although its read could not tell (see `unknown` below). */
export interface UnknownTracker {
  source: string | null;
}

type Cells = Readonly<Record<string, Cell>>;
const NO_CELLS: Cells = Object.freeze({});

/**
 * What an expression sees of one source: a Map only in name. The expression library reads a declared type through
 * `get`, so one view replaces every record in turn: nothing is copied, and the static types are kept, which
 * spares the library choosing an overload by the value's type at each evaluation.
 */
export class CellsView extends Map<string, Cell> {
  readonly source: string;
  readonly #tracker: UnknownTracker;
  #cells: Cells = NO_CELLS;
  #unknown = false;

  constructor(source: string, tracker: UnknownTracker) {
    super();
    this.source = source;
    this.#tracker = tracker;
  }

  /** `null`: the source has no row for this record. `'unknown'`: its read was incomplete, so nobody can tell. */
  show(cells: Cells | null | 'unknown'): void {
    this.#unknown = cells === 'unknown';
    this.#cells = cells === null || cells === 'unknown' ? NO_CELLS : cells;
  }

  get isUnknown(): boolean {
    return this.#unknown;
  }

  override get(column: string): Cell | undefined {
    if (this.#unknown) {
      this.#tracker.source ??= this.source;
      return undefined;
    }
    return this.#cells[column];
  }
}

/** `record`: each column from the first of its sources that has a value in it. */
export class UnionView extends Map<string, Cell> {
  readonly #owners: Readonly<Record<string, readonly CellsView[]>>;

  constructor(owners: Readonly<Record<string, readonly CellsView[]>>) {
    super();
    this.#owners = owners;
  }

  override get(column: string): Cell | undefined {
    const owners = this.#owners[column];
    if (owners === undefined) return undefined;
    for (const owner of owners) {
      const cell = owner.get(column);
      // An unknown source ends the search: it might have had the value that counts.
      if (cell !== undefined || owner.isUnknown) return cell;
    }
    return undefined;
  }
}
