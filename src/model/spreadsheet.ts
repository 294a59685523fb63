/*
 * What a spreadsheet does with a text that it reads from a file: a cell that begins like a formula is calculated, and a
 * formula can start programs (DDE) and send what is in other cells to another machine (OWASP, CSV injection).
 */

/** White space, byte order marks and characters of no width: a reader may skip them before it looks for a formula. */
const SKIPPED = '[\\s\\p{Cf}\\0]*';
/** The signs that begin a formula, in full width as well, as Japanese versions read them. */
const SIGNS = '=+\\-@＝＋－＠';

const BEGINS = new RegExp(`^(?:[\\t\\r]|${SKIPPED}[${SIGNS}])`, 'u');
const CALCULATES = new RegExp(`^(?:[\\t\\r]|${SKIPPED}[=＝])`, 'u');
/** More than arithmetic: a function, a DDE address (`cmd|…`) or a sheet (`Sheet1!A1`). */
const CALLS = /[|｜!！]|\p{L}[\p{N}_]*(?:[(（]|\s+[(（]\s*["“])/u;
/** Where a reader that takes another character for the separator, or no quotes for quotes, would begin a new cell. Sign first: quick on any text. */
const ELSEWHERE = new RegExp(`[${SIGNS}](?<=[;\\t\\r\\n]["\\s]*.)`, 'gu');

/**
 * Whether a spreadsheet would run it:
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

/** A cell of a table for people: an apostrophe before all that begins like a formula makes it text, telephone numbers too. */
export function disarmCell(text: string): string {
  const calls = CALLS.test(text);
  const safe = text.replace(ELSEWHERE, (sign) => (calls || CALCULATES.test(sign) ? `'${sign}` : sign));
  return BEGINS.test(text) ? `'${safe}` : safe;
}
