import { compilePointer } from '../../connectors/rows/pointer.js';
import { cleanCell } from '../../model/hidden-signs.js';
import type { Json } from '../../model/json.js';
import { isSurelyNothing } from '../../model/nothing.js';
import type { ColumnGuess } from './guess-column.js';

/** One row of a sample: column → cell. */
export type SampleRow = ReadonlyMap<string, Json>;

/** Enough rows to see the content of a column; a file may have millions. */
const MOST_ROWS = 4_000;

/** Keeps rows from all parts of a file: every row, then every second, fourth, eighth and so on. */
export class KeptRows {
  #rows: SampleRow[] = [];
  #seen = 0;
  #step = 1;

  take(row: SampleRow): void {
    if (this.#seen++ % this.#step !== 0) return;
    this.#rows.push(new Map(row));
    if (this.#rows.length < MOST_ROWS) return;
    this.#step *= 2;
    this.#rows = this.#rows.filter((_, at) => at % 2 === 0);
  }

  list(): readonly SampleRow[] {
    return this.#rows;
  }
}

/** Returns the text of a cell; empty for a missing cell and for a word for nothing. */
export function readCell({ name, column }: ColumnGuess): (row: SampleRow) => string {
  const locate = column?.from === undefined ? null : compilePointer(column.from);
  return (row) => {
    const value = locate === null ? row.get(name) : locate(Object.fromEntries(row));
    if (value === undefined || value === null) return '';
    const text = typeof value === 'string' ? cleanCell(value) : JSON.stringify(value);
    return isSurelyNothing(text) ? '' : text;
  };
}

/** Lists the texts of the rows, without empty ones. */
export function listFilled(rows: readonly SampleRow[], read: (row: SampleRow) => string): readonly string[] {
  return rows.map(read).filter((text) => text !== '');
}
