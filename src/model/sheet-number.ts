/** A long number as a spreadsheet shows it: `4.79E+10`, `1,00E+05`. */
const SCIENTIFIC = /^[+-]?\d(?:[.,]\d+)?E\+\d{1,3}$/i;

export function isScientific(text: string): boolean {
  return SCIENTIFIC.test(text);
}

const NUMBER = /^(?:00|\+|0)?[\d]{6,}$/;

/**
 * Checks whether a spreadsheet has turned a text of digits into a number: `0701234567` lost its zero, or `+4722334455` its
 * sign. Spreadsheets keep grouped digits as text.
 */
export function isCutNumber(was: string, now: string): boolean {
  if (was === now || !NUMBER.test(was) || !/^\d{5,}$/.test(now)) return false;
  const bare = was.replace(/^\+?0*/, '');
  return was !== bare && now === bare;
}
