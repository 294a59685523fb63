import { writeColumnRead } from '../../model/column-read.js';
import { foldText, splitHeader } from '../../model/fold-words.js';
import { isInactive, readStandings, type WorkStanding } from '../../model/standings.js';
import type { Answers, OpenQuestion } from './answers.js';
import { NO, readMidnight, YES } from './cell-values.js';
import { columnOf, isOptional, read, readText } from './column-reads.js';
import { type ColumnGuess, orderOfDays } from './guess-column.js';
import { readCell, type SampleRow } from './kept-rows.js';
import type { MatchedRow } from './match-people.js';
import { MEANINGS, SPARE_DATES } from './meanings.js';
import type { Sample } from './read-sample.js';
import { coverColumn, coverHeaderAlone, isOfOthers } from './recognise.js';
import { LEAST_KNOWN } from './weigh.js';
import { writeExpression } from './yaml-text.js';

/** A column with more words is not a status. */
const MOST_WORDS = 20;
/** Least share of the rows whose status must be understood. */
const LEAST_UNDERSTOOD = 0.6;

/** A condition for people who have left, and the rows that it holds for. */
interface Rule {
  readonly when: string;
  readonly holds: (row: SampleRow) => boolean;
  readonly note: string;
  /** The question to answer first, without a question mark; null if the rule is sure. */
  readonly doubt: string | null;
  /** Questions that settle the doubt, if it is not about words of a status. */
  readonly open?: readonly OpenQuestion[];
}

/** A column with a status, and the meanings of its words. */
interface StatusColumn {
  readonly column: ColumnGuess;
  readonly cover: number;
  readonly words: ReadonlyMap<string, WorkStanding | null>;
}

export interface ProposedLeavers {
  readonly lines: readonly string[];
  readonly open: readonly OpenQuestion[];
}

/**
 * `leaver` and `joiner`. Both are always stated. If the file does not show it, they are `unknown`, and new people wait for an answer.
 */
export function proposeLeavers(sample: Sample, known: readonly MatchedRow[], answers: Answers): ProposedLeavers {
  const today = answers.today ?? new Date();
  const statuses = findStatuses(sample, answers);
  const dated = (of: readonly StatusColumn[]): readonly Rule[] => ruleOfDate(sample, known, of, today);
  const leaver =
    answers.left === null
      ? proposeLeaver({ sample, known, today }, statuses, dated)
      : sayLeft(sample, answers.left, statuses, dated([]));
  const joiner = proposeJoiner(sample, answers, statuses, today);
  return { lines: [...leaver.lines, ...joiner.lines], open: [...leaver.open, ...joiner.open] };
}

function findStatuses(sample: Sample, { columns }: Answers): readonly StatusColumn[] {
  const given = columns.status;
  return sample.columns
    .filter(
      ({ name, counts }) => counts !== null && counts.size <= MOST_WORDS && (given === undefined || name === given),
    )
    .map((column) => ({ column, words: readWords(column), cover: given === undefined ? coverStatus(column) : 1 }))
    .filter(({ column, cover, words }) => cover > 0 && (given !== undefined || words.size > 0 || isSure(column)))
    .sort((a, b) => Number(b.words.size > 0) - Number(a.words.size > 0) || b.cover - a.cover);
}

function isSure(column: ColumnGuess): boolean {
  return coverColumn(column, 'status').cover >= 0.9 && column.column?.type !== 'bool';
}

/** How clearly a header names a status, 0 to 1. The status of a position counts for less than that of a person. */
function coverStatus(column: ColumnGuess): number {
  const words = splitHeader(column.name);
  if (isOfOthers(column) || words.some((word) => OTHER_STATUS.test(word))) return 0;
  const { cover } = coverColumn(column, 'status');
  if (cover > 0) return cover;
  if (flagOf(words) !== null || foldText(column.name) === 'useraccountcontrol') return 0.8;
  return words.some((word) => /(?:status|statut)$|^(?:state|stato|estado|tila)$/.test(word)) ? 0.4 : 0;
}

/** A status of something else than the work of a person. */
const OTHER_STATUS =
  /^(?:marital|civil|military|visa|permit|immigration|pension|tax|payroll|benefits?|training|vaccination|background|probation|review|approval|sync|license|licence|mfa|invitation|disability|contract|project)$/;

/** Word → meaning; empty unless most rows have a word that is understood. */
function readWords({ name, counts, column }: ColumnGuess): ReadonlyMap<string, WorkStanding | null> {
  const all = counts ?? new Map<string, number>();
  if (foldText(name) === 'useraccountcontrol') return readControls([...all.keys()]);
  const flag = flagOf(splitHeader(name));
  const words = flag === null || !isFlag(column?.type, all) ? readStandings([...all.keys()]) : readFlag(all, flag);
  let [rows, understood] = [0, 0];
  for (const [word, count] of all) {
    rows += count;
    if (words.get(word) != null) understood += count;
  }
  return understood >= rows * LEAST_UNDERSTOOD ? words : new Map();
}

/** Codes of Active Directory: the second bit says that the account is disabled. */
function readControls(words: readonly string[]): ReadonlyMap<string, WorkStanding> {
  return new Map(words.map((word) => [word, (Number(word) & 2) === 0 ? 'here' : 'doubtful']));
}

function isFlag(type: string | undefined, counts: ReadonlyMap<string, number>): boolean {
  return type === 'bool' || (counts.size <= 2 && [...counts.keys()].every((word) => YES.test(word) || NO.test(word)));
}

const NOT = /^(?:not|nicht|ikke|inte|non|nie|niet|longer)$/;

interface Flag {
  /** Yes means that the person is there. */
  readonly isHere: boolean;
  readonly isOfAccount: boolean;
}

const HERE_FLAG = /^(?:activ|aktiv|actief|actif|attiv|ativ|aktyw|enabled|employed)/;
const GONE_FLAG =
  /^(?:inactiv|inaktiv|leaver|ausgetreten|terminated|deactivated|archived|deleted|left|blocked|block|suspended|disabled|locked|gesperrt|deaktiviert|sperret|sparrad)/;
const ACCOUNT_FLAG = /^(?:enabled|block|suspended|disabled|locked|archived|gesperrt|deaktiviert|sperret|sparrad)/;
/** Words that may stand next to a flag of a person or an account. Other words make it a flag of a service: `MFA Enabled`. */
const FLAG_BESIDE =
  /^(?:is|now|currently|account|user|employee|sign|in|login|credential|credentials|konto|er|ist|est)$/;

function flagOf(words: readonly string[]): Flag | null {
  const bare = words.map((word) => word.replace(/^is(?=.)/, ''));
  const isTurned = bare.some((one) => NOT.test(one));
  const word = bare.find((one) => HERE_FLAG.test(one) || GONE_FLAG.test(one));
  if (word === undefined || bare.some((one) => one !== word && !FLAG_BESIDE.test(one) && !NOT.test(one))) return null;
  return {
    isHere: HERE_FLAG.test(word) !== isTurned,
    isOfAccount: ACCOUNT_FLAG.test(word) || words.includes('account'),
  };
}

function readFlag(
  counts: ReadonlyMap<string, number>,
  { isHere, isOfAccount }: Flag,
): ReadonlyMap<string, WorkStanding> {
  const gone = isOfAccount ? 'doubtful' : 'left';
  return new Map([...counts.keys()].map((word) => [word, YES.test(word) === isHere ? 'here' : gone]));
}

function proposeLeaver(
  { sample, known, today }: { readonly sample: Sample; readonly known: readonly MatchedRow[]; readonly today: Date },
  statuses: readonly StatusColumn[],
  dated: (statuses: readonly StatusColumn[]) => readonly Rule[],
): ProposedLeavers {
  const [status] = statuses;
  const understood = statuses.filter(({ words }) => words.size > 0);
  const first = status === undefined || status.words.size === 0 ? null : ruleOfStatus(sample, status, known, true);
  const others = understood
    .filter((one) => one !== status)
    .flatMap((one) => ruleOfStatus(sample, one, known, false) ?? [])
    // Where two columns contradict, words count before flags.
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
  const question = doubtful[0]?.doubt ?? missed ?? (sure.length === 0 ? strange : null);
  if (question === null && sure.length === 0) {
    return {
      lines: ['  leaver: none # no column says who has left: people who are missing from the file have left'],
      open: [],
    };
  }
  if (question === null) return { lines: [writeRule(sure, '')], open: [] };
  return {
    lines: [
      `  leaver: unknown # To answer: ${question}? Until then new people wait`,
      ...(rules.length === 0 ? [] : [writeRule(rules, '# ')]),
    ],
    open: doubtful[0]?.open ?? [askLeft(status, question)],
  };
}

function isAtWork(status: StatusColumn | undefined, row: SampleRow): boolean {
  return status !== undefined && ['here', 'away'].includes(status.words.get(readCell(status.column)(row)) ?? '');
}

/** People who have given notice work until their last day. */
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

/** Doubts a rule that holds for at least half of the rows, or for many people who are active in the account. */
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

/** The rule for the words that the user has named, if any. */
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

/** Capitals do not matter: people type `Terminated` and `terminated`. */
function ruleOfWords(sample: Sample, column: ColumnGuess, words: readonly string[]): Rule {
  const all = [...(column.counts ?? new Map<string, number>()).keys()].map((word) => JSON.stringify(word)).join(', ');
  const note = `all words of ${JSON.stringify(column.name)}: ${all}`;
  const text = readCell(column);
  const folded = new Set(words.map((word) => word.toLowerCase()));
  const holds: Rule['holds'] = (row) => folded.has(text(row).toLowerCase());
  if (column.column?.type === 'bool') {
    const isYes = words.some((word) => YES.test(word));
    const value = read(sample, column.name);
    const plain = isOptional(sample, column.name) ? `${value}.orValue(${String(!isYes)})` : value;
    return { when: isYes ? plain : `!${plain}`, holds, note, doubt: null };
  }
  const shown = [...folded].map((word) => JSON.stringify(word));
  const plain = `${readText(sample, column.name)}.lower()`;
  const when = shown.length === 1 ? `${plain} == ${shown[0]}` : `${plain} in [${shown.join(', ')}]`;
  return { when, holds, note, doubt: null };
}

/** Usual words for people who have left, for a file in which nobody has. */
const USUAL_LEFT = ['terminated', 'inactive', 'left'];

function ruleOfStatus(
  sample: Sample,
  { column, words }: StatusColumn,
  known: readonly MatchedRow[],
  isFirst: boolean,
): Rule | null {
  const of = (wanted: WorkStanding): readonly string[] =>
    [...words].flatMap(([word, is]) => (is === wanted ? [word] : []));
  const doubtful = of('doubtful');
  const strangers = [...words].flatMap(([word, is]) => (is === null ? [word] : []));
  const proved = doubtful.filter((word) => isProved(column, word, known));
  // If the file has a clear word for leavers, inactive people are only away.
  const isClear = of('left').some((word) => !isInactive(word));
  const left = [...of('left').filter((word) => !isClear || !isInactive(word)), ...proved];
  // If the file has a word for leavers, suspended people have not left.
  const open = left.length > 0 ? [] : [...doubtful, ...strangers];
  if (left.length > 0 || open.length > 0) {
    const rule = ruleOfWords(sample, column, [...left, ...open]);
    const [first] = open;
    if (first === undefined) return rule;
    return {
      ...rule,
      doubt: `does ${JSON.stringify(first)} in ${JSON.stringify(column.name)} mean that a person has left`,
    };
  }
  if (!isFirst || column.column?.type === 'bool') return isFirst ? ruleOfFlag(sample, column) : null;
  const note = 'nobody in this file has left: these are usual words for it';
  return { ...ruleOfWords(sample, column, USUAL_LEFT), note };
}

/** A flag with the same value for everyone who is there: the other value means that a person is not. */
function ruleOfFlag(sample: Sample, column: ColumnGuess): Rule {
  const flag = flagOf(splitHeader(column.name));
  return {
    ...ruleOfWords(sample, column, [flag?.isHere === false ? 'true' : 'false']),
    note: 'no longer active',
  };
}

/** True if at least half of the people with the word are deactivated, and at least half of the deactivated people have it. */
function isProved(column: ColumnGuess, word: string, known: readonly MatchedRow[]): boolean {
  const text = readCell(column);
  const marked = known.filter(({ row }) => text(row) === word);
  const both = marked.filter(({ person }) => person.deactivated).length;
  const gone = known.filter(({ person }) => person.deactivated).length;
  return known.length >= LEAST_KNOWN && both >= 2 && both * 2 >= marked.length && both * 2 >= gone;
}

/** The question if people who are deactivated in the account match no rule: they would be reactivated. */
function describeMissed(known: readonly MatchedRow[], rules: readonly Rule[]): string | null {
  const gone = known.filter(({ person }) => person.deactivated);
  const missed = gone.filter(({ row }) => !rules.some(({ holds }) => holds(row)));
  if (missed.length === 0 || (rules.length > 0 && missed.length < Math.max(3, gone.length * 0.5))) return null;
  const [first] = missed;
  return `${missed.length} of the people in the file are deactivated in the account, such as ${JSON.stringify(first?.person.email ?? '')}: how does the file show that they have left`;
}

function describeStrange({ column }: StatusColumn): string {
  const words = [...(column.counts ?? new Map<string, number>()).keys()].map((word) => JSON.stringify(word));
  return `does any word of ${JSON.stringify(column.name)} mean that a person has left (${words.join(', ')})`;
}

/** The question if an unknown column has past dates for some people: these may be last days. */
function describePast(sample: Sample, today: Date): string | null {
  const { startDate } = sample.meanings;
  const found = listDates(sample).find(
    (column) =>
      column.name !== startDate &&
      column.filled * 2 < sample.rows &&
      sample.kept.some((row) => (readMidnight(column)(row) ?? Number.POSITIVE_INFINITY) < today.getTime()),
  );
  const unread = found ?? findUnreadable(sample, 'endDate');
  return unread === null ? null : `is ${JSON.stringify(unread.name)} the last day of work`;
}

/** A column whose header names the day, and whose cells cannot be read as days. */
function findUnreadable({ columns }: Sample, meaning: 'startDate' | 'endDate'): ColumnGuess | null {
  return (
    columns.find(
      (column) => column.filled > 0 && column.column?.type === 'string' && coverHeaderAlone(column, meaning) >= 0.9,
    ) ?? null
  );
}

/** Columns with dates whose headers do not say that they are about something else. */
function listDates({ columns }: Sample): readonly ColumnGuess[] {
  return columns.filter(
    (column) =>
      (column.column?.type === 'date' || column.looks.date > 0.8) &&
      !isOfOthers(column) &&
      !splitHeader(column.name).some((word) => SPARE_DATES.has(word)),
  );
}

/** If most people have a future date, the dates are the ends of their terms. */
function isTerm({ kept }: Sample, end: ColumnGuess, today: Date): boolean {
  const dayOf = readMidnight(end);
  return kept.filter((row) => (dayOf(row) ?? 0) >= today.getTime()).length * 2 > kept.length;
}

/** The rule by the last day of work. If people who are at work by their status have a past date, it is the end of something else. */
function ruleOfDate(
  sample: Sample,
  known: readonly MatchedRow[],
  statuses: readonly StatusColumn[],
  today: Date,
): readonly Rule[] {
  const end = columnOf(sample, sample.meanings.endDate);
  if (end?.column?.type !== 'date') return [];
  const plain = writeColumnRead('record', end.name);
  const when = end.column.optional ? `has(${plain}) && ${plain} < today` : `${plain} < today`;
  const dayOf = readMidnight(end);
  const holds: Rule['holds'] = (row) => {
    const day = dayOf(row);
    return day !== null && day < today.getTime();
  };
  if (isTerm(sample, end, today)) {
    if (!sample.kept.some(holds)) return [];
    return [{ when, holds, note: 'the end of a term', doubt: `is ${JSON.stringify(end.name)} the last day of work` }];
  }
  const rule: Rule = { when, holds, note: `the last day in ${JSON.stringify(end.name)} has passed`, doubt: null };
  const [status] = statuses;
  const isHere = (row: SampleRow): boolean =>
    status !== undefined && ['here', 'away'].includes(status.words.get(readCell(status.column)(row)) ?? '');
  const contradicted = sample.kept.filter((row) => holds(row) && isHere(row));
  const active = known.filter(({ row, person }) => holds(row) && !person.deactivated);
  const gone = known.filter(({ row, person }) => holds(row) && person.deactivated);
  // The status is more reliable.
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

function proposeJoiner(
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
      ? (start ?? findUnreadable(sample, 'startDate') ?? findFuture(sample, today))
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

/** People with such a word have not started yet, whatever their date says. */
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

/** A column of unknown meaning with future dates. */
function findFuture(sample: Sample, today: Date): ColumnGuess | null {
  const dates = listDates(sample).filter(({ name }) => name !== sample.meanings.endDate);
  return dates.find((column) => sample.kept.some((row) => (readMidnight(column)(row) ?? 0) > today.getTime())) ?? null;
}

/** Another first day that is still to come for people who are there by the chosen one. */
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

/** The question if first or last days can be read in two orders. */
function askOrder({ firstValues, column }: ColumnGuess): readonly OpenQuestion[] {
  const example = firstValues.find((value) => value !== '') ?? '';
  const otherwise = column === null ? 'day' : (orderOfDays(column) ?? 'day');
  const text = `What comes first in dates such as "${example}"?`;
  return [{ flag: '--dates', about: null, text, choices: ['day', 'month'], otherwise }];
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
