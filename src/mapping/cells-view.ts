import type { Cell, CellNote } from '../model/source.js';

/** Remembers the source of a cell that is unknown because the source was read incompletely (see `unknown` below). */
export interface UnknownTracker {
  source: string | null;
  /** Paths of the shown record's fields, or parts of fields, that depend on an unknown cell. */
  leaves: string[];
  /** Notes on cells of the shown rows with omitted content, by `source.column`; null for nearly all rows. */
  noted: ReadonlyMap<string, CellNote> | null;
  /** Words for nothing, such as `N/A`, that would have become field values of the shown record. */
  heard: HeardWord[];
}

/** A word for nothing in place of a field's value; the field stays unchanged. */
export interface HeardWord {
  /** The path of the field, or of a part of the field. */
  readonly path: string;
  readonly word: string;
  /** The column, such as `hr.title`, or the expression if it reads several columns. */
  readonly from: string;
}

/** `null`: the source has no row for this record. `'unknown'`: the source was read incompletely, so a row may exist. */
type ShownCells = Readonly<Record<string, Cell>> | null | 'unknown';

/**
 * The view of one source in an expression, declared as a Map. The expression library reads a declared type through
 * `get`, so one view shows every record in turn without copying cells. Static types spare the library from choosing an
 * overload at each evaluation.
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

/** The view `record`, which takes each column from the first source that has a value for it. */
export class UnionView extends Map<string, Cell> {
  readonly #owners: Readonly<Record<string, readonly CellsView[]>>;

  constructor(owners: Readonly<Record<string, readonly CellsView[]>>) {
    super();
    this.#owners = owners;
  }

  override get(column: string): Cell | undefined {
    for (const owner of this.#owners[column] ?? []) {
      const cell = owner.get(column);
      // An unknown source ends the search, because it may have the value that takes precedence.
      if (cell !== undefined || owner.isUnknown) return cell;
    }
    return undefined;
  }
}
