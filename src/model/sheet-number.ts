/** A long number as a spreadsheet shows it: `4.79E+10`, `1,00E+05`. */
const SCIENTIFIC = /^[+-]?\d(?:[.,]\d+)?E\+\d{1,3}$/i;

export function isScientific(text: string): boolean {
  return SCIENTIFIC.test(text);
}

const NUMBER = /^(?:00|\+|0)?[\d]{6,}$/;

/**
 * Checks whether a spreadsheet has turned a text of digits into a number: `0701234567` without its zero, `+4722334455`
 * without its sign. Spreadsheets do not read numbers with grouped digits as numbers.
 */
export function isCutNumber(was: string, now: string): boolean {
  if (was === now || !NUMBER.test(was) || !/^\d{5,}$/.test(now)) return false;
  const bare = was.replace(/^\+?0*/, '');
  return was !== bare && now === bare;
}
