import type { Cell, CellNote } from '../model/source.js';

/** Remembers which source was asked for a cell although its read could not tell (see `unknown` below). */
export interface UnknownTracker {
  source: string | null;
  /** Paths of the fields, and parts of fields, of the record shown that rest on such a cell. */
  leaves: string[];
  /** Cells of the rows shown of which something was left out, by `source.column`; null for nearly all rows. */
  noted: ReadonlyMap<string, CellNote> | null;
  /** Words for nothing that fields of the record shown would have been. */
  heard: HeardWord[];
}

/** A word for nothing in the place of a field's value, which therefore stays as it is. */
export interface HeardWord {
  /** Path of the field, or of a part of it. */
  readonly path: string;
  readonly word: string;
  /** `hr.title`, or the expression where it reads several columns. */
  readonly from: string;
}

/** `null`: the source has no row for this record. `'unknown'`: its read was incomplete, so nobody can tell. */
type ShownCells = Readonly<Record<string, Cell>> | null | 'unknown';

/**
 * What an expression sees of one source: a Map only in name. The expression library reads a declared type through
 * `get`, so one view replaces every record in turn: nothing is copied, and the static types are kept, which
 * spares the library choosing an overload by the value's type at each evaluation.
 */
export class CellsView extends Map<string, Cell> {
  readonly source: string;
  readonly #tracker: UnknownTracker;
  #cells: ShownCells = null;

  constructor(source: string, tracker: UnknownTracker) {
    super();
    this.source = source;
    this.#tracker = tracker;
  }

  show(cells: ShownCells): void {
    this.#cells = cells;
  }

  get isUnknown(): boolean {
    return this.#cells === 'unknown';
  }

  override get(column: string): Cell | undefined {
    if (this.#cells === 'unknown') {
      this.#tracker.source ??= this.source;
      return undefined;
    }
    return this.#cells?.[column];
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
    for (const owner of this.#owners[column] ?? []) {
      const cell = owner.get(column);
      // An unknown source ends the search: it might have had the value that counts.
      if (cell !== undefined || owner.isUnknown) return cell;
    }
    return undefined;
  }
}
