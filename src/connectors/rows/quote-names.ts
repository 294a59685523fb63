import { cleanLine } from '../../model/clean-text.js';

const NAMES_SHOWN = 20;
const LONGEST = 32;
/** Of what is no name of a column: enough to see what kind of file it is. */
const GLIMPSE = 6;

/**
 * Names that a file has where columns should be, for messages: `"employee_id", "email"`. The file may be any file, a private
 * key or a list of passwords, so only what looks like the name of a column is shown, and of all else its first characters.
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

/** One cell alone is most likely a line of a file that is no table. */
function quoteOnly(name: string): string {
  return quoteShort(name, isNameLike(name) && name.length <= 12 ? LONGEST : GLIMPSE);
}

function quoteShort(name: string, most: number): string {
  const characters = [...name];
  const isLong = characters.length > most;
  const text = cleanLine(isLong ? characters.slice(0, most).join('') : name);
  return isLong ? `"${text}…" (${characters.length} characters)` : `"${text}"`;
}

/** Words; a run of letters and digits that is as long and as mixed as a key is none. */
function isNameLike(name: string): boolean {
  if (!/^[\p{L}\p{M}\p{N} _./()#&'%+-]*$/u.test(name) || /-----/.test(name)) return false;
  return !name.split(/[ _./()-]/).some((word) => word.length >= 16 && /\d/.test(word) && /\p{L}/u.test(word));
}
