/*
 * Spreadsheets evaluate a cell that begins like a formula. A formula can start programs (DDE) and send other cells to another
 * machine (OWASP, CSV injection).
 */

/** White space, byte order marks and zero-width characters, which a spreadsheet may skip before it looks for a formula. */
const SKIPPED = '[\\s\\p{Cf}\\0]*';
/** The signs that begin a formula, including the full-width ones that Japanese versions read. */
const SIGNS = '=+\\-@＝＋－＠';

const BEGINS = new RegExp(`^(?:[\\t\\r]|${SKIPPED}[${SIGNS}])`, 'u');
const CALCULATES = new RegExp(`^(?:[\\t\\r]|${SKIPPED}[=＝])`, 'u');
/** Shows that a text is more than arithmetic: a function, a DDE address (`cmd|…`) or a sheet (`Sheet1!A1`). */
const CALLS = /[|｜!！]|\p{L}[\p{N}_]*(?:[(（]|\s+[(（]\s*["“])/u;
/**
 * Formula signs where a spreadsheet with another separator, or without quoting, would begin a new cell. The pattern matches the
 * sign first, which keeps it fast on any text.
 */
const ELSEWHERE = new RegExp(`[${SIGNS}](?<=[;\\t\\r\\n]["\\s]*.)`, 'gu');

/**
 * Checks whether a spreadsheet would run a text:
 *
 * | text | |
 * |---|---|
 * | begins with `=`, a tab or a carriage return | yes |
 * | begins with `+`, `-` or `@`, and a function, `\|` or `!` follows | yes |
 * | `+47 22 33 44 55`, `-`, `- Senior`, `@handle`, `-5` | no |
 */
export function runsInSpreadsheet(text: string): boolean {
  return CALCULATES.test(text) || (BEGINS.test(text) && CALLS.test(text));
}

/**
 * Makes a cell safe in a table that people open. An apostrophe turns anything that begins like a formula into text, including
 * telephone numbers.
 */
export function disarmCell(text: string): string {
  const calls = CALLS.test(text);
  const safe = text.replace(ELSEWHERE, (sign) => (calls || CALCULATES.test(sign) ? `'${sign}` : sign));
  return BEGINS.test(text) ? `'${safe}` : safe;
}
