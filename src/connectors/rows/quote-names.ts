import { cleanLine } from '../../model/clean-text.js';

const NAMES_SHOWN = 20;
const LONGEST = 32;
/** The number of characters shown of a text that is not a column's name. They are enough to recognise the kind of file. */
const GLIMPSE = 6;

/**
 * Quotes the names in the header of a file, for messages: `"employee_id", "email"`. The file may be anything, even a
 * private key or a list of passwords. So only texts that look like names of columns are shown, and only the first
 * characters of anything else.
 */
export function quoteNames(names: readonly string[]): string {
  if (names.length === 0) return 'no names';
  const shown = names.slice(0, NAMES_SHOWN).map(names.length === 1 ? quoteOnly : quoteName);
  const rest = names.length - shown.length;
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

export function quoteName(name: string): string {
  return quoteShort(name, isNameLike(name) ? LONGEST : GLIMPSE);
}

/** Quotes a single cell, which is most likely a line of a file that is not a table. */
function quoteOnly(name: string): string {
  return quoteShort(name, isNameLike(name) && name.length <= 12 ? LONGEST : GLIMPSE);
}

function quoteShort(name: string, most: number): string {
  const characters = [...name];
  const isLong = characters.length > most;
  const text = cleanLine(isLong ? characters.slice(0, most).join('') : name);
  return isLong ? `"${text}…" (${characters.length} characters)` : `"${text}"`;
}

/** True for words, but not for a sequence of letters and digits that is as long and as mixed as a key. */
function isNameLike(name: string): boolean {
  if (!/^[\p{L}\p{M}\p{N} _./()#&'%+-]*$/u.test(name) || /-----/.test(name)) return false;
  return !name.split(/[ _./()-]/).some((word) => word.length >= 16 && /\d/.test(word) && /\p{L}/u.test(word));
}
