import { isoNow } from '../clock.js';
import type { BulkLoadConfig } from '../config/config.js';
import { nativeLanguages } from '../csv-import/native-languages.js';
import { type FileForm, readCells } from '../csv-import/read-cells.js';
import { formatHeader, formatRows, orderColumns } from '../csv-import/write-rows.js';
import type { PlannedChange } from '../model/plan.js';
import type { Execution } from './execute-change.js';

/** A file of people, under the name by which an upload is known: it contains its day (spec, CSV import, Alternative). */
export interface ImportFile {
  readonly name: string;
  readonly bytes: string;
  readonly people: number;
}

/**
 * The rows of the people to create, in the order of the plan; null when nobody is left. Only the cells are kept until the
 * columns that hold something are known, not the changes.
 */
export function buildImportFile(
  bulk: BulkLoadConfig,
  people: Iterable<PlannedChange>,
  { stores, clock }: Pick<Execution, 'stores' | 'clock'>,
): ImportFile | null {
  const { language, tagColumns, separator } = bulk;
  const form: FileForm = { language, tagColumns, nativeLanguage: nativeLanguages(stores.mirror) };
  const rows: ReadonlyMap<string, string>[] = [];
  const filled = new Set<string>();
  for (const { after } of people) {
    const { cells } = readCells(after, form);
    for (const title of cells.keys()) filled.add(title);
    rows.push(cells);
  }
  if (rows.length === 0) return null;
  const shape = { columns: orderColumns(filled, tagColumns), separator };
  const bytes = formatHeader(shape) + formatRows(rows, shape);
  return { name: `users-${isoNow(clock).slice(0, 10)}.csv`, bytes, people: rows.length };
}
