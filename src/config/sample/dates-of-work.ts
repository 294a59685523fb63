import { splitHeader } from '../../model/fold-words.js';
import type { OpenQuestion } from './answers.js';
import { type ColumnGuess, orderOfDays } from './guess-column.js';
import { SPARE_DATES } from './meanings.js';
import type { Sample } from './read-sample.js';
import { coverHeaderAlone, isOfOthers } from './recognise.js';

/** Finds a column whose header names the day but whose cells are not readable as dates. */
export function findUnreadable({ columns }: Sample, meaning: 'startDate' | 'endDate'): ColumnGuess | null {
  return (
    columns.find(
      (column) => column.filled > 0 && column.column?.type === 'string' && coverHeaderAlone(column, meaning) >= 0.9,
    ) ?? null
  );
}

/** Lists columns of unknown meaning with dates in an unreadable form: `04-Jan-27`. */
export function listUnreadable(sample: Sample): readonly ColumnGuess[] {
  return listDates(sample).filter(({ column, filled }) => column?.type === 'string' && filled > 0);
}

/** Lists columns with dates, unless their headers are about something else. */
export function listDates({ columns }: Sample): readonly ColumnGuess[] {
  return columns.filter(
    (column) =>
      (column.column?.type === 'date' || column.looks.date > 0.8) &&
      !isOfOthers(column) &&
      !splitHeader(column.name).some((word) => SPARE_DATES.has(word)),
  );
}

/** Returns the question about the order of day and month, if first or last days can be read in both orders. */
export function askOrder({ firstValues, column }: ColumnGuess): readonly OpenQuestion[] {
  const example = firstValues.find((value) => value !== '') ?? '';
  const otherwise = column === null ? 'day' : (orderOfDays(column) ?? 'day');
  const text = `What comes first in dates such as "${example}"?`;
  return [{ flag: '--dates', about: null, text, choices: ['day', 'month'], otherwise }];
}
