/** Matches UTF-8 text that was read as Windows-1252 or Latin-1 (`Ã¸`, `Ã¥`, `Â `, `â€™`), and the replacement character. */
const TWICE_ENCODED =
  /[ÃÂÄÅÐÑ][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013\u2014\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]|â€|ï¿½|\ufffd/;

/** For longer texts, only the letters that remain are compared, which is faster than comparing letter by letter. */
const MOST_LETTERS = 1_000;

/**
 * Errors that a spreadsheet shows instead of a value, in several languages: `#N/A`, `#I/T`, `#NV`, `#REF!`, `#NAVN?`, `#####`.
 */
const SHEET_ERROR = /^#(?:#+|\p{Lu}\/\p{Lu}|NV|[\p{Lu}0/]+[!?])$/u;
/** A long number as spreadsheets display it: `4.79E+10`, `4.79E10`. */
const SCIENTIFIC = /^[+-]?\d(?:[.,]\d+)?E\+?\d+$/i;
/** Spreadsheets shorten numbers with at least this many digits. */
const LONG_NUMBER = 8;

/**
 * Describes how a text that was clean before is now damaged; null if it is not. A spreadsheet may also have shortened a long
 * number, such as a telephone number.
 */
export function lookDamaged(was: string, now: string): string | null {
  if (isGarbled(was, now)) return 'text that was read in another encoding';
  if (SHEET_ERROR.test(now) && !SHEET_ERROR.test(was)) return 'an error of a spreadsheet';
  const isCutShort = SCIENTIFIC.test(now) && was.replace(/\D/g, '').length >= LONG_NUMBER && !SCIENTIFIC.test(was);
  return isCutShort ? 'a number that a spreadsheet has shortened' : null;
}

/** Checks whether a clean text now looks encoded twice, or has question marks instead of letters. */
export function isGarbled(was: string, now: string): boolean {
  if (was === '' || was === now) return false;
  if (TWICE_ENCODED.test(now) && !TWICE_ENCODED.test(was)) return true;
  return hasLostLetters(was, now);
}

/** Checks whether question marks replaced the letters outside ASCII: `Bj?rn` for `Bjørn`. */
function hasLostLetters(was: string, now: string): boolean {
  if (!now.includes('?')) return false;
  const letters = [...was];
  if (letters.every((letter) => letter <= '\u007f')) return false;
  if (letters.length > MOST_LETTERS) return leaveOutLost(was) === leaveOutLost(now);
  return canBecome(letters, [...now]);
}

/**
 * Checks whether letters outside ASCII can have become question marks. A regular expression would backtrack exponentially, so
 * this tracks every position in `now` that the letters so far can reach.
 */
function canBecome(letters: readonly string[], now: readonly string[]): boolean {
  let places = new Set([0]);
  for (const letter of letters) {
    const next = new Set<number>();
    for (const place of places) {
      if (now[place] === letter) next.add(place + 1);
      if (letter <= '\u007f') continue;
      for (let marks = 1; marks <= 4 && now[place + marks - 1] === '?'; marks++) next.add(place + marks);
    }
    if (next.size === 0) return false;
    places = next;
  }
  return places.has(now.length);
}

function leaveOutLost(text: string): string {
  return [...text].filter((letter) => letter <= '\u007f' && letter !== '?').join('');
}
