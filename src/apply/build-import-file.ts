import type { BulkLoadConfig } from '../config/entities/entity-schema.js';
import type { PlannedChange } from '../model/plan.js';
import { nativeLanguages } from '../planning/csv-import/native-languages.js';
import { type FileForm, readCells } from '../planning/csv-import/read-cells.js';
import { formatHeader, formatRows, orderColumns } from '../planning/csv-import/write-rows.js';
import type { Execution } from './execution.js';
import { inTurns } from './in-turns.js';

/**
 * Builds the file with the people to create, in the order of the plan; null if nobody is left. Iterates over the people
 * twice: first to find the non-empty columns, then to write the rows. Only the text of the file is in memory, even for
 * very many people.
 */
export async function buildImportFile(
  bulk: BulkLoadConfig,
  people: () => Iterable<PlannedChange>,
  { stores }: Pick<Execution, 'stores'>,
): Promise<string | null> {
  const { language, tagColumns, separator } = bulk;
  const form: FileForm = { language, tagColumns, nativeLanguage: nativeLanguages(stores.mirror) };
  const filled = new Set<string>();
  let isEmpty = true;
  await inTurns(people(), ({ after }) => {
    isEmpty = false;
    for (const title of readCells(after, form).cells.keys()) filled.add(title);
  });
  if (isEmpty) return null;
  const shape = { columns: orderColumns(filled, tagColumns), separator };
  let text = formatHeader(shape);
  await inTurns(people(), ({ after }) => {
    text += formatRows([readCells(after, form).cells], shape);
  });
  return text;
}
