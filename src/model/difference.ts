import { foldLooks, nameSign } from './look-alikes.js';
import { showOddSpaces } from './odd-signs.js';

/** Checks whether two different texts look almost the same to a reader. */
export function looksTheSame(one: string, other: string): boolean {
  const seen = (text: string): string => foldLooks(showOddSpaces(text.normalize('NFC')).replaceAll(/[␣\s]+/g, ''));
  return one !== other && one.toLowerCase() !== other.toLowerCase() && seen(one) === seen(other);
}

/** False for a name of plain ASCII letters and signs, because any difference from another name is visible. */
export function mayLookLikeAnother(name: string): boolean {
  return /[^\x21-\x7e]/.test(name);
}

/** Describes where a text differs from another text that looks the same: `U+200B ZERO WIDTH SPACE after "e"`. */
export function describeDifference(expected: string, found: string): string {
  const [right, wrong] = [[...expected], [...found]];
  const at = wrong.findIndex((sign, index) => sign !== right[index]);
  const sign = wrong[at];
  const place = (index: number): string =>
    index <= 0 ? 'at the beginning' : `after "${right.slice(0, index).join('').slice(-12)}"`;
  if (sign === undefined) return `"${right.slice(wrong.length).join('')}" is missing at the end`;
  const code = `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return /^[\x21-\x7e]$/.test(sign) ? `"${sign}" ${place(at)}` : `${code} ${nameSign(sign)} ${place(at)}`;
}
