import { compileCondition } from '../../mapping/condition.js';
import { RecordFault } from '../../mapping/record-fault.js';
import { cleanCell } from '../../model/hidden-signs.js';
import type { Json } from '../../model/json.js';
import { isNothing } from '../../model/nothing.js';
import { findPlaceholder } from '../../model/placeholder-dates.js';
import type { SourceRecord } from '../../model/source.js';
import { BadCell, isExact } from '../cells/cells.js';
import { compilePointer } from '../rows/pointer.js';
import type { RowShape } from '../rows/records.js';
import type { DeletedSign } from './listed-stream.js';

const YES = new Set<Json>([true, 1, 'true', '1', 'yes', 'y']);
const NO = new Set<Json>([false, 0, 'false', '0', 'no', 'n', '']);
const TIME = /^\d{4}-\d{2}-\d{2}/;

/** @param cells the cells of the row's record; null if the row has no record */
export type IsDeleted = (row: Json, cells: SourceRecord['cells'] | null) => boolean | BadCell;

/**
 * Returns a test for rows of deleted records. A value that is neither a flag nor a time is reported as bad. Otherwise, a
 * pointer to a status would delete everything.
 */
export function compileDeleted(
  sign: DeletedSign | null,
  { columns, timezone }: Pick<RowShape, 'columns' | 'timezone'>,
): IsDeleted {
  if (sign === null) return () => false;
  if ('when' in sign) {
    const isTrue = compileCondition('deleted.when', sign.when, columns, timezone);
    return (_, cells) => cells !== null && deletedOrBad(() => isTrue(cells), sign.when);
  }
  const find = compilePointer(sign.at);
  if (sign.is !== null) {
    const words = new Set(sign.is.map((word) => word.trim().toLowerCase()));
    return (row) => {
      const value = find(row);
      return value !== null && value !== undefined && words.has(String(value).trim().toLowerCase());
    };
  }
  return (row) => readSign(find(row));
}

function readSign(found: Json | undefined): boolean | BadCell {
  const value = typeof found === 'string' ? found.trim().toLowerCase() : found;
  if (value === undefined || value === null || NO.has(value)) return false;
  if (YES.has(value)) return true;
  const text = typeof value === 'string' ? value : '';
  if (isNothing(text)) return false;
  const isTime = TIME.test(text);
  if (isTime && findPlaceholder(text, () => '') === null) return true;
  const expected = `true, false or the time of the deletion${isTime ? ', and no placeholder' : ''}`;
  return new BadCell(JSON.stringify(found).slice(0, 60), expected);
}

function deletedOrBad(isTrue: () => boolean, text: string): boolean | BadCell {
  try {
    return isTrue();
  } catch (error) {
    if (error instanceof RecordFault)
      return new BadCell(`a row on which \`${text}\` fails`, 'a row that it can evaluate');
    throw error;
  }
}

/** Reads the key of a deleted row, if deleted rows have the key in a different place. */
export function compileDeletedKey(sign: DeletedSign | null): ((row: Json) => string | null) | null {
  if (sign === null || 'when' in sign || sign.key === null) return null;
  const find = compilePointer(sign.key);
  return (row) => {
    const value = find(row);
    if (isExact(value)) return String(value);
    const key = typeof value === 'string' ? cleanCell(value) : '';
    return key === '' ? null : key;
  };
}
