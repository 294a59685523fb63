import type { Column } from '../../model/column.js';
import { codeOfCountry } from './countries.js';
import { type ColumnGuess, type DayOrder, noteRival, orderOfDays } from './guess-column.js';
import type { Meanings } from './recognise.js';

/** The columns of a file and their meanings. */
interface DatedTable {
  readonly columns: readonly ColumnGuess[];
  readonly meanings: Meanings;
}

/** Settles the order of day and month by the other dates of the file, because one system writes all dates in the same order. */
export function settleByOthers(columns: readonly ColumnGuess[]): readonly ColumnGuess[] {
  const orders = new Set(
    columns.flatMap(({ column, rival }) => (column === null || rival !== null ? [] : (orderOfDays(column) ?? []))),
  );
  const [order] = orders;
  const settled = order === undefined || orders.size > 1 ? columns : columns.map((one) => settle(one, order, true));
  return shortenAll(settled);
}

/**
 * Shortens the formats of all columns if one needs it. If a column has `1-3-2019`, then `31-10-2026` in another does not prove
 * two digits, and `d-M-yyyy` reads both.
 */
function shortenAll(columns: readonly ColumnGuess[]): readonly ColumnGuess[] {
  const formats = new Set(columns.flatMap(({ column }) => column?.format ?? []));
  const shorten = <Of extends Column | null>(column: Of): Of => {
    const short = column?.format?.replace('dd', 'd').replace(/(?<!M)MM(?!M)/, 'M') ?? '';
    return column !== null && formats.has(short) ? { ...column, format: short } : column;
  };
  return columns.map((one) => ({ ...one, column: shorten(one.column), rival: shorten(one.rival) }));
}

/**
 * Declares a first or last day that can be read either way in the likelier order, and marks it as a guess. Other ambiguous dates
 * stay texts: a wrong guess would hold rows because of a column that nothing uses.
 *
 * @param given the user's answer; null to use the likelier order
 */
export function settleDates<Of extends DatedTable>(table: Of, given: DayOrder | null): Of {
  const { startDate, endDate } = table.meanings;
  const order = given ?? likelyOrder(table);
  const columns = table.columns.map((one) => {
    const isUsed = one.name === startDate || one.name === endDate;
    return given === null && !isUsed ? leaveText(one) : settle(one, order, given !== null);
  });
  return { ...table, columns };
}

function leaveText(guess: ColumnGuess): ColumnGuess {
  const { column, rival } = guess;
  if (column === null || rival === null) return guess;
  const { empty: _none, ...rest } = column;
  const note = `dates, ${column.format} or ${rival.format}: no day above 12 shows which`;
  return { ...guess, column: { ...rest, type: 'string', format: null }, rival: null, note };
}

function settle(guess: ColumnGuess, order: DayOrder, isSure: boolean): ColumnGuess {
  const { column, rival } = guess;
  if (column === null || rival === null) return guess;
  const [chosen, other] = orderOfDays(column) === order ? [column, rival] : [rival, column];
  if (isSure) return { ...guess, column: chosen, rival: null, note: null };
  return { ...guess, column: chosen, rival: other, note: noteRival(chosen, other) };
}

/** Returns month first if any person is in the United States; other countries write the day first. */
export function likelyOrder({ columns, meanings }: DatedTable): DayOrder {
  const countries = columns.find(({ name }) => name === meanings.country)?.values ?? [];
  return countries.some((country) => codeOfCountry(country) === 'us') ? 'month' : 'day';
}
