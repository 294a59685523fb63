import type { Cell, CellNote } from '../model/source.js';

/** Remembers which source was asked for a cell that its incomplete read does not know (see `unknown` below). */
export interface UnknownTracker {
  source: string | null;
  /** Paths of the fields, and parts of fields, of the shown record that depend on such a cell. */
  leaves: string[];
  /** Cells of the shown rows from which something was left out, by `source.column`; null for nearly all rows. */
  noted: ReadonlyMap<string, CellNote> | null;
  /** Words for nothing that would have become fields of the shown record. */
  heard: HeardWord[];
}

/** A word for nothing in place of a field's value, which therefore stays unchanged. */
export interface HeardWord {
  /** Path of the field, or of a part of it. */
  readonly path: string;
  readonly word: string;
  /** `hr.title`, or the expression if it reads several columns. */
  readonly from: string;
}

/** `null`: the source has no row for this record. `'unknown'`: its read was incomplete, so a row may exist. */
type ShownCells = Readonly<Record<string, Cell>> | null | 'unknown';

/**
 * The view of one source in an expression; a Map only in name. The expression library reads a declared type through `get`, so one view
 * shows every record in turn, and nothing is copied. The static types are kept, so the library does not choose an overload by the
 * value's type at each evaluation.
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

/** `record`: takes each column from the first of its sources that has a value in it. */
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
