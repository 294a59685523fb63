import type { DeletedSign } from '../../config/feed-config.js';
import type { Json } from '../../model/json.js';
import { BadCell, isExact } from '../cells.js';
import { compilePointer } from '../pointer.js';

const YES = new Set<Json>([true, 1, 'true', '1', 'yes', 'y']);
const NO = new Set<Json>([false, 0, 'false', '0', 'no', 'n', '']);
const TIME = /^\d{4}-\d{2}-\d{2}/;

/**
 * Whether a row says that its record is deleted. Whatever is neither a flag nor a time is a mistake and no answer: a pointer to
 * a status would otherwise delete everything.
 */
export function compileDeleted(sign: DeletedSign | null): (row: Json) => boolean | BadCell {
  if (sign === null) return () => false;
  const find = compilePointer(sign.at);
  if (sign.is !== null) {
    const words = new Set(sign.is.map((word) => word.trim().toLowerCase()));
    return (row) => {
      const value = find(row);
      return value !== null && value !== undefined && words.has(String(value).trim().toLowerCase());
    };
  }
  return (row) => {
    const found = find(row);
    const value = typeof found === 'string' ? found.trim().toLowerCase() : found;
    if (value === undefined || value === null || NO.has(value)) return false;
    if (YES.has(value) || (typeof value === 'string' && TIME.test(value))) return true;
    return new BadCell(JSON.stringify(found).slice(0, 60), 'true, false or the time of the deletion');
  };
}

/** The key of a deleted row, where it stands elsewhere than in others. */
export function compileDeletedKey(sign: DeletedSign | null): ((row: Json) => string | null) | null {
  if (sign === null || sign.key === null) return null;
  const find = compilePointer(sign.key);
  return (row) => {
    const value = find(row);
    if (isExact(value)) return String(value);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
}
