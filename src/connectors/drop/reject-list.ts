import type { RejectedRow } from '../../model/source.js';
import { disarmCell } from '../../model/spreadsheet.js';
import type { DropStore } from './store.js';

/** More bad rows than anybody would read: the list stays small whatever is delivered. */
const MOST = 10_000;
/** Characters: what is in the place of a key may be anything. */
const LONGEST_KEY = 500;

/** The bad rows of one delivery, for the people who make the export. */
export interface RejectList {
  note(rows: readonly RejectedRow[]): void;
  /** Writes `<folder>/<name>.rejects.csv`, where there are any. `total`: how many there are, listed or not. */
  write(store: DropStore, folder: string, name: string, total: number): Promise<void>;
}

export function createRejectList(): RejectList {
  const lines: string[] = [];
  return {
    note(rows) {
      for (const { place, key, code, reason, remedy } of rows) {
        if (lines.length >= MOST) return;
        const shown = key === null ? '' : key.slice(0, LONGEST_KEY);
        lines.push([String(place.line ?? ''), shown, code, reason, remedy].map(quote).join(','));
      }
    },
    async write(store, folder, name, total) {
      if (lines.length === 0) return;
      const more = total - lines.length;
      const rest = more <= 0 ? [] : [['', '', '', `and ${more} more rows`, ''].map(quote).join(',')];
      await store.mkdir(folder);
      await store.put(
        `${folder}/${name}.rejects.csv`,
        `${['line,key,code,reason,remedy', ...lines, ...rest].join('\r\n')}\r\n`,
      );
    },
  };
}

function quote(cell: string): string {
  const safe = disarmCell(cell);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
