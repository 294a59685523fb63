import { stringify } from 'csv-stringify/sync';
import type { RejectedRow } from '../../model/source.js';
import { disarmCell } from '../../model/spreadsheet.js';
import type { DropStore } from './store.js';

/** The maximum number of bad rows in the list, which is more than anyone would read. */
const MOST = 10_000;
/** The maximum length of a key in the list, in characters, because a key cell may contain anything. */
const LONGEST_KEY = 500;

/** The bad rows of one delivery, for the people who produce the export. */
export class RejectList {
  private readonly lines: string[][] = [];

  note(rows: readonly RejectedRow[]): void {
    for (const { place, key, code, reason, remedy } of rows.slice(0, MOST - this.lines.length)) {
      const shown = (key ?? '').slice(0, LONGEST_KEY);
      this.lines.push([String(place.line ?? ''), shown, code, reason, remedy].map(disarmCell));
    }
  }

  /** Writes `<folder>/<name>.rejects.csv` if there are bad rows. `total` counts all bad rows, listed or not. */
  async write(store: DropStore, folder: string, name: string, total: number): Promise<void> {
    if (this.lines.length === 0) return;
    const more = total - this.lines.length;
    const table = [
      ['line', 'key', 'code', 'reason', 'remedy'],
      ...this.lines,
      ...(more > 0 ? [['', '', '', `and ${more} more rows`, '']] : []),
    ];
    await store.mkdir(folder);
    const text = stringify(table, { record_delimiter: '\r\n', quoted_match: /[\r\n]/ });
    await store.put(`${folder}/${name}.rejects.csv`, text);
  }
}
