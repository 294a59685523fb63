import type { ColumnGuess } from './guess-column.js';
import { readCell, type SampleRow } from './kept-rows.js';

/** Matches words for yes. `NO` below matches words for no. */
export const YES =
  /^(?:true|yes|y|1|x|ja|j|o|oui|si|sí|sim|tak|kyllä|on|wahr|vrai|verdadero|verdadeiro|vero|sant|sann|sand|waar|tosi|prawda)$/i;
export const NO =
  /^(?:false|no|n|0|nei|nein|nej|non|não|nao|nie|ei|nee|off|falsch|faux|falso|usant|falskt|falsk|onwaar|epätosi|fałsz)$/i;

/** Later years are placeholders, not real dates. */
const LAST_YEAR = 2_090;
const FIRST_YEAR = 1_930;

/**
 * Returns midnight (UTC) of the day in a cell; null if no day can be read. Without a format, the position of the year shows the
 * order.
 */
export function readMidnight(guess: ColumnGuess): (row: SampleRow) => number | null {
  const format = guess.column?.format ?? null;
  const text = readCell(guess);
  return (row) => parseDay(text(row), format);
}

function parseDay(cell: string, format: string | null): number | null {
  if (format?.includes('MMM') === true) return finite(Date.parse(cell));
  const compact = /^(\d{4})(\d{2})(\d{2})$/.exec(cell)?.slice(1);
  const numbers = compact ?? cell.match(/\d+/g) ?? [];
  const told = format === null ? null : [...format.matchAll(/y+|M+|d+/g)].map(([part]) => part[0]);
  const order = told ?? (numbers[0]?.length === 4 ? ['y', 'M', 'd'] : ['d', 'M', 'y']);
  const [year = Number.NaN, month = Number.NaN, day = Number.NaN] = ['y', 'M', 'd'].map((letter) =>
    Number(numbers[order.indexOf(letter)]),
  );
  return year > LAST_YEAR || year < FIRST_YEAR ? null : finite(Date.UTC(year, month - 1, day));
}

function finite(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
