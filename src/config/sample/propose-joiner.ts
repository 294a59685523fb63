import type { Answers, OpenQuestion } from './answers.js';
import { readMidnight } from './cell-values.js';
import { columnOf, isOptional, read } from './column-reads.js';
import { askOrder, findUnreadable, listDates, listUnreadable } from './dates-of-work.js';
import type { ColumnGuess } from './guess-column.js';
import { type ProposedLeavers, ruleOfWords } from './leaver-rule.js';
import { MEANINGS } from './meanings.js';
import type { Sample } from './read-sample.js';
import { coverColumn } from './recognise.js';
import type { StatusColumn } from './status-columns.js';
import { writeExpression } from './yaml-text.js';

/** Proposes `joiner`: the time from which new people get an account. */
export function proposeJoiner(
  sample: Sample,
  { dates }: Answers,
  statuses: readonly StatusColumn[],
  today: Date,
): ProposedLeavers {
  const later = statuses.flatMap(({ column, words }) => {
    const found = [...words].flatMap(([word, is]) => (is === 'later' ? [word] : []));
    return found.length === 0 ? [] : [{ column, found }];
  })[0];
  const start = columnOf(sample, sample.meanings.startDate);
  const day = ['date', 'datetime'].includes(start?.column?.type ?? '') ? start : undefined;
  if (day?.rival != null && dates === null)
    return {
      lines: joinerUnknown(`does the day or the month come first in ${JSON.stringify(day.name)}`),
      open: askOrder(day),
    };
  if (later !== undefined) return { lines: [joinerOfStatus(sample, later, day)], open: [] };
  const strange =
    day === undefined
      ? (start ?? findUnreadable(sample, 'startDate') ?? findFuture(sample, today) ?? listUnreadable(sample)[0] ?? null)
      : findOtherStart(sample, day, today);
  if (strange !== null) {
    const question = `is ${JSON.stringify(strange.name)} the first day of work`;
    return {
      lines: joinerUnknown(question),
      open: [askColumnOfStart(sample, question)],
    };
  }
  if (day === undefined) return { lines: ['  joiner: none # no column says who starts later'], open: [] };
  const plain = writeExpression(read(sample, day.name));
  return { lines: [`  joiner: { start: ${plain} } # nobody gets an account before the first day of work`], open: [] };
}

function joinerUnknown(question: string): readonly string[] {
  return [`  joiner: unknown # To answer: ${question}? Until then new people wait`];
}

/** Proposes a rule for the status words of people who have not started yet, whatever their date is. */
function joinerOfStatus(
  sample: Sample,
  { column, found }: { readonly column: ColumnGuess; readonly found: readonly string[] },
  day: ColumnGuess | undefined,
): string {
  const { when } = ruleOfWords(sample, column, found);
  const dated = day === undefined ? 'optional.none()' : read(sample, day.name);
  const otherwise = day === undefined || isOptional(sample, day.name) ? dated : `optional.of(${dated})`;
  const start = `${when} ? optional.of(today + duration("48h")) : ${otherwise}`;
  return `  joiner: { start: ${writeExpression(start)} } # ${found.map((word) => JSON.stringify(word)).join(', ')}: not started yet`;
}

/** Finds a column of unknown meaning that contains future dates. */
function findFuture(sample: Sample, today: Date): ColumnGuess | null {
  const dates = listDates(sample).filter(({ name }) => name !== sample.meanings.endDate);
  return dates.find((column) => sample.kept.some((row) => (readMidnight(column)(row) ?? 0) > today.getTime())) ?? null;
}

/** Finds another column of first days that has future dates for people who have started according to the chosen column. */
function findOtherStart({ columns, kept }: Sample, day: ColumnGuess, today: Date): ColumnGuess | null {
  const chosen = readMidnight(day);
  const others = columns.filter((one) => one.name !== day.name && coverColumn(one, 'startDate').cover >= 0.5);
  const isLater = (time: number | null): boolean => time !== null && time > today.getTime();
  return others.find((one) => kept.some((row) => isLater(readMidnight(one)(row)) && !isLater(chosen(row)))) ?? null;
}

function askColumnOfStart(sample: Sample, question: string): OpenQuestion {
  const dates = sample.columns.filter(({ looks }) => looks[MEANINGS.startDate.look] >= MEANINGS.startDate.share);
  const text = `Which column has the first day of work? (${question}?)`;
  return { flag: '--column', about: 'startDate', text, choices: dates.map(({ name }) => name), otherwise: '' };
}
