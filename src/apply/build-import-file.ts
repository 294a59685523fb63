import { isoNow } from '../clock.js';
import type { BulkLoadConfig } from '../config/entities/entity-schema.js';
import { nativeLanguages } from '../csv-import/native-languages.js';
import { type FileForm, readCells } from '../csv-import/read-cells.js';
import { formatHeader, formatRows, orderColumns } from '../csv-import/write-rows.js';
import type { PlannedChange } from '../model/plan.js';
import type { Execution } from './execute-change.js';
import { inTurns } from './in-turns.js';

/** A file of people, under the name by which an upload is known: it contains its day (spec, CSV import, Alternative). */
export interface ImportFile {
  readonly name: string;
  readonly bytes: string;
  readonly people: number;
}

/**
 * The rows of the people to create, in the order of the plan; null when nobody is left. Two walks, one to see which
 * columns hold anything and one to write: of very many people only the text of the file is ever in memory.
 */
export async function buildImportFile(
  bulk: BulkLoadConfig,
  people: () => Iterable<PlannedChange>,
  { stores, clock }: Pick<Execution, 'stores' | 'clock'>,
): Promise<ImportFile | null> {
  const { language, tagColumns, separator } = bulk;
  const form: FileForm = { language, tagColumns, nativeLanguage: nativeLanguages(stores.mirror) };
  const filled = new Set<string>();
  let count = 0;
  await inTurns(people(), ({ after }) => {
    count += 1;
    for (const title of readCells(after, form).cells.keys()) filled.add(title);
  });
  if (count === 0) return null;
  const shape = { columns: orderColumns(filled, tagColumns), separator };
  let bytes = formatHeader(shape);
  await inTurns(people(), ({ after }) => {
    bytes += formatRows([readCells(after, form).cells], shape);
  });
  return { name: `users-${isoNow(clock).slice(0, 10)}.csv`, bytes, people: count };
}
