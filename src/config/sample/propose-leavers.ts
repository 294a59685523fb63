import { writeColumnRead } from '../../model/column-read.js';
import { splitHeader } from '../../model/fold-words.js';
import type { Answers, OpenQuestion } from './answers.js';
import { readMidnight } from './cell-values.js';
import { columnOf } from './column-reads.js';
import { askOrder, findUnreadable, listDates, listUnreadable } from './dates-of-work.js';
import type { ColumnGuess } from './guess-column.js';
import type { SampleRow } from './kept-rows.js';
import { type LeaverEvidence, type ProposedLeavers, type Rule, ruleOfWords } from './leaver-rule.js';
import type { MatchedRow } from './match-people.js';
import { proposeJoiner } from './propose-joiner.js';
import type { Sample, SampledInterface } from './read-sample.js';
import { coverColumn } from './recognise.js';
import { findStatuses, isAtWork, type StatusColumn } from './status-columns.js';
import { ruleOfStatus, waitForWords } from './status-rules.js';
import { findLeaving, findUnexplained } from './unexplained.js';
import { LEAST_KNOWN } from './weigh.js';
import { writeExpression } from './yaml-text.js';

/**
 * Proposes `leaver` and `joiner`, which are always written. If the file does not show who has left or starts later, they are
 * `unknown`, and new people wait for an answer.
 */
export function proposeLeavers(sample: Sample, known: readonly MatchedRow[], answers: Answers): ProposedLeavers {
  const today = answers.today ?? new Date();
  const statuses = findStatuses(sample, answers);
  const dated = (of: readonly StatusColumn[]): readonly Rule[] => ruleOfDate(sample, known, of, today);
  const guess = (): ProposedLeavers =>
    sample.interface === undefined
      ? proposeLeaver({ sample, known, today }, statuses, dated)
      : leaverOfPreset(sample.interface);
  const leaver = answers.left === null ? guess() : sayLeft(sample, answers.left, statuses, dated([]));
  const joiner = proposeJoiner(sample, answers, statuses, today);
  return { ...leaver, lines: [...leaver.lines, ...joiner.lines], open: [...leaver.open, ...joiner.open] };
}

function leaverOfPreset({ preset, leaver }: SampledInterface): ProposedLeavers {
  const line =
    leaver === null
      ? `leaver: none # ${preset} reports deleted people; a person whose account is blocked has not left`
      : `leaver: { when: ${writeExpression(leaver)} } # how ${preset} shows who has left`;
  return { lines: [`  ${line}`], open: [] };
}

function proposeLeaver(
  evidence: LeaverEvidence,
  statuses: readonly StatusColumn[],
  dated: (statuses: readonly StatusColumn[]) => readonly Rule[],
): ProposedLeavers {
  const { sample, known, today } = evidence;
  const [status] = statuses;
  const understood = statuses.filter(({ words }) => words.size > 0);
  const first = status === undefined || status.words.size === 0 ? null : ruleOfStatus(sample, status, known, true);
  const others = understood
    .filter((one) => one !== status)
    .flatMap((one) => ruleOfStatus(sample, one, known, false) ?? [])
    // If two columns contradict each other, words take precedence over flags.
    .filter(
      ({ holds }) =>
        status?.column.column?.type === 'bool' || !sample.kept.some((row) => holds(row) && isAtWork(status, row)),
    );
  const rules = [
    ...[...(first === null ? [] : [first]), ...others].map((rule) => untilLastDay(sample, rule, today)),
    ...dated(understood),
  ];
  const sure = rules.map((rule) => doubtMany(sample, known, rule)).filter(({ doubt }) => doubt === null);
  const doubtful = rules.map((rule) => doubtMany(sample, known, rule)).filter(({ doubt }) => doubt !== null);
  const missed = describeMissed(known, sure);
  const strange =
    status !== undefined && understood.length === 0 ? describeStrange(status) : describePast(sample, today);
  const question =
    doubtful[0]?.doubt ?? missed ?? (sure.length === 0 ? strange : null) ?? describeUnused(evidence, statuses, sure);
  if (question !== null) {
    return {
      lines: [
        `  leaver: unknown # To answer: ${question}? Until then new people wait`,
        ...(rules.length === 0 ? [] : [writeRule(rules, '# ')]),
      ],
      open: doubtful[0]?.open ?? [askLeft(status, question)],
    };
  }
  if (sure.length === 0) {
    return {
      lines: ['  leaver: none # no column says who has left: people who are missing from the file have left'],
      open: [],
    };
  }
  const waiting = statuses.flatMap((one) => waitForWords(evidence, one, status, sure));
  return {
    lines: [writeRule(sure, '')],
    waiting,
    open: waiting.slice(0, 1).map(({ note }) => askLeft(status, note)),
  };
}

/** Returns the question if a column may show who has left but no rule uses it. */
function describeUnused(
  { sample, known, today }: LeaverEvidence,
  statuses: readonly StatusColumn[],
  sure: readonly Rule[],
): string | null {
  const leaving = findLeaving(sample, sure, today);
  if (leaving !== null) return `have the people with a value in ${JSON.stringify(leaving.name)} left`;
  const unexplained = sure.length > 0 || statuses.length > 0 ? null : findUnexplained(sample, known);
  return unexplained === null ? null : describeStrange({ column: unexplained });
}

/** Excludes people with a future last day from a rule, because people who have given notice work until then. */
function untilLastDay(sample: Sample, rule: Rule, today: Date): Rule {
  const end = columnOf(sample, sample.meanings.endDate);
  if (end?.column?.type !== 'date') return rule;
  const dayOf = readMidnight(end);
  const isLater = (row: SampleRow): boolean => (dayOf(row) ?? 0) >= today.getTime();
  if (!sample.kept.some((row) => rule.holds(row) && isLater(row))) return rule;
  const plain = writeColumnRead('record', end.name);
  const when = `${rule.when} && !(${end.column.optional ? `has(${plain}) && ` : ''}${plain} >= today)`;
  return { ...rule, when, holds: (row) => rule.holds(row) && !isLater(row) };
}

/** Marks a rule as doubtful if it applies to at least half of the rows, or to many people who are active in the account. */
function doubtMany({ kept }: Sample, known: readonly MatchedRow[], rule: Rule): Rule {
  const marked = kept.filter(rule.holds).length;
  const gone = known.filter(({ row, person }) => rule.holds(row) && person.deactivated).length;
  const active = known.filter(({ row, person }) => rule.holds(row) && !person.deactivated).length;
  const isContradicted = active > Math.max(2, gone * 3) && active * 5 > known.length;
  if (rule.doubt !== null || (!isContradicted && (marked * 2 < kept.length || gone >= LEAST_KNOWN))) return rule;
  return {
    ...rule,
    doubt: `have ${marked} of ${kept.length} people really left (${rule.note})`,
  };
}

function writeRule(rules: readonly Rule[], mark: string): string {
  const conditions = rules.map(({ when }) => (rules.length > 1 && when.includes('&&') ? `(${when})` : when));
  const note = rules.map((rule) => rule.note).join('; ');
  return `  ${mark}leaver: { when: ${writeExpression(conditions.join(' || '))} } # ${note}`;
}

/** Returns the rule for the words that the user has named, if any. */
function sayLeft(
  sample: Sample,
  left: readonly string[],
  [status]: readonly StatusColumn[],
  dates: readonly Rule[],
): ProposedLeavers {
  const words = status === undefined || left.length === 0 ? [] : [ruleOfWords(sample, status.column, left)];
  const rules = [...words, ...dates.filter(({ doubt }) => doubt === null)];
  if (rules.length === 0)
    return { lines: ['  leaver: none # people who are missing from the file have left'], open: [] };
  return { lines: [writeRule(rules, '')], open: [] };
}

/** Returns the question if people who are deactivated in the account match no rule, because they would be reactivated. */
function describeMissed(known: readonly MatchedRow[], rules: readonly Rule[]): string | null {
  const gone = known.filter(({ person }) => person.deactivated);
  const missed = gone.filter(({ row }) => !rules.some(({ holds }) => holds(row)));
  if (missed.length === 0 || (rules.length > 0 && missed.length < Math.max(3, gone.length * 0.5))) return null;
  const [first] = missed;
  return `${missed.length} of the people in the file are deactivated in the account, such as ${JSON.stringify(first?.person.email ?? '')}: how does the file show that they have left`;
}

function describeStrange({ column }: Pick<StatusColumn, 'column'>): string {
  const words = [...(column.counts ?? new Map<string, number>()).keys()].map((word) => JSON.stringify(word));
  return `does any word of ${JSON.stringify(column.name)} mean that a person has left (${words.join(', ')})`;
}

/** Returns the question if an unknown column has past dates for some people, because these may be last days. */
function describePast(sample: Sample, today: Date): string | null {
  const { startDate } = sample.meanings;
  const found = listDates(sample).find(
    (column) =>
      column.name !== startDate &&
      column.filled * 2 < sample.rows &&
      sample.kept.some((row) => (readMidnight(column)(row) ?? Number.POSITIVE_INFINITY) < today.getTime()),
  );
  const unread =
    found ??
    findUnreadable(sample, 'endDate') ??
    listUnreadable(sample).find(({ name, filled }) => name !== startDate && filled * 2 < sample.rows) ??
    null;
  return unread === null ? null : `is ${JSON.stringify(unread.name)} the last day of work`;
}

/** True if most people have a future date, because the dates are then the ends of their terms. */
function isTerm({ kept }: Sample, end: ColumnGuess, today: Date): boolean {
  const dayOf = readMidnight(end);
  return kept.filter((row) => (dayOf(row) ?? 0) >= today.getTime()).length * 2 > kept.length;
}

const REHIRE =
  /^(?:rehire|rehired|reentry|wiedereintritt|wiedereinstellung|gjenansatt|gjenansettelse|ateranstalld|ateranstallning|genansat)/;

/**
 * Finds first days that are later than the last day of some people. They have come back, and the last day belongs to an earlier
 * job.
 */
function findRehires({ columns, kept }: Sample, end: ColumnGuess): readonly ColumnGuess[] {
  const ended = readMidnight(end);
  return columns.filter((column) => {
    const isStart =
      coverColumn(column, 'startDate').cover >= 0.5 || splitHeader(column.name).some((word) => REHIRE.test(word));
    if (column.column?.type !== 'date' || column.rival !== null || !isStart) return false;
    const begun = readMidnight(column);
    return kept.some((row) => (begun(row) ?? 0) > (ended(row) ?? Number.POSITIVE_INFINITY));
  });
}

function writeIsLater({ name, column }: ColumnGuess, than: string): string {
  const plain = writeColumnRead('record', name);
  return `${column?.optional === true ? `has(${plain}) && ` : ''}${plain} > ${than}`;
}

/**
 * Proposes the rule by the last day of work. If people who are at work by their status have a past date, it is not a last day.
 */
function ruleOfDate(
  sample: Sample,
  known: readonly MatchedRow[],
  statuses: readonly StatusColumn[],
  today: Date,
): readonly Rule[] {
  const end = columnOf(sample, sample.meanings.endDate);
  if (end?.column?.type !== 'date') return [];
  const plain = writeColumnRead('record', end.name);
  const past = end.column.optional ? `has(${plain}) && ${plain} < today` : `${plain} < today`;
  const dayOf = readMidnight(end);
  const again = findRehires(sample, end);
  const isBack = (row: SampleRow, day: number): boolean =>
    again.some((column) => (readMidnight(column)(row) ?? 0) > day);
  const when = [past, ...again.map((column) => `!(${writeIsLater(column, plain)})`)].join(' && ');
  const holds: Rule['holds'] = (row) => {
    const day = dayOf(row);
    return day !== null && day < today.getTime() && !isBack(row, day);
  };
  if (isTerm(sample, end, today)) {
    if (!sample.kept.some(holds)) return [];
    return [{ when, holds, note: 'the end of a term', doubt: `is ${JSON.stringify(end.name)} the last day of work` }];
  }
  const rule: Rule = { when, holds, note: `the last day in ${JSON.stringify(end.name)} has passed`, doubt: null };
  const [status] = statuses;
  const contradicted = sample.kept.filter((row) => holds(row) && isAtWork(status, row));
  const active = known.filter(({ row, person }) => holds(row) && !person.deactivated);
  const gone = known.filter(({ row, person }) => holds(row) && person.deactivated);
  // The status is more reliable than the date.
  if (contradicted.length > 0) return [];
  if (status === undefined && active.length > Math.max(2, gone.length * 3) && active.length * 5 > known.length) {
    return [
      {
        ...rule,
        doubt: `is ${JSON.stringify(end.name)} the last day of work, although ${active.length} people with a past date there are active in the account`,
      },
    ];
  }
  if (end.rival === null) return [rule];
  return [
    { ...rule, doubt: `does the day or the month come first in ${JSON.stringify(end.name)}`, open: askOrder(end) },
  ];
}

function askLeft(status: StatusColumn | undefined, question: string): OpenQuestion {
  const choices = [...(status?.column.counts ?? new Map<string, number>()).keys()];
  const where = status === undefined ? '' : ` of ${JSON.stringify(status.column.name)}`;
  return {
    flag: '--left',
    about: null,
    text: `Which words${where} say that a person has left? Separate them with commas; empty for none. Unclear: ${question}?`,
    choices,
    otherwise: '',
  };
}
