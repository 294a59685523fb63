import { splitHeader } from '../../model/fold-words.js';
import { isInactive, type WorkStanding } from '../../model/standings.js';
import { readMidnight } from './cell-values.js';
import { columnOf } from './column-reads.js';
import type { ColumnGuess } from './guess-column.js';
import { readCell, type SampleRow } from './kept-rows.js';
import { type LeaverEvidence, type Rule, ruleOfWords } from './leaver-rule.js';
import type { MatchedRow } from './match-people.js';
import type { Sample } from './read-sample.js';
import { flagOf, isAtWork, isSure, isUnnamed, type StatusColumn } from './status-columns.js';
import { LEAST_KNOWN } from './weigh.js';

/**
 * Returns rules for status words that no rule names. Rows with them wait, unless a rule, another status or the account settles
 * their meaning.
 */
export function waitForWords(
  { sample, known, today }: LeaverEvidence,
  one: StatusColumn,
  status: StatusColumn | undefined,
  sure: readonly Rule[],
): readonly Rule[] {
  const { column } = one;
  const text = readCell(column);
  const start = columnOf(sample, sample.meanings.startDate);
  const startOf = start?.column?.type === 'date' ? readMidnight(start) : () => null;
  const isSettled = (row: SampleRow): boolean =>
    sure.some(({ holds }) => holds(row)) ||
    (one !== status && isAtWork(status, row)) ||
    // These people wait until their first day in any case.
    (startOf(row) ?? 0) > today.getTime();
  const open = listOpen(sample, one, known).filter((word) =>
    sample.kept.some((row) => text(row) === word && !isSettled(row)),
  );
  if (open.length === 0) return [];
  const words = open.map((word) => JSON.stringify(word)).join(', ');
  const note = `have people with ${words} in ${JSON.stringify(column.name)} left`;
  return [{ ...ruleOfWords(sample, column, open), note }];
}

/** Lists words of unknown or doubtful meaning. If no word of a column is known, these are all except the most frequent one. */
function listOpen(sample: Sample, { column, words }: StatusColumn, known: readonly MatchedRow[]): readonly string[] {
  const counts = column.counts ?? new Map<string, number>();
  const unread = isSure(column) ? [...counts].flatMap(([word, rows]) => (rows * 2 < column.filled ? [word] : [])) : [];
  const all = words.size === 0 ? unread : [...words.keys()];
  const isClear = [...words].some(([word, is]) => is === 'left' && !isInactive(word));
  return all.filter((word) => {
    const is = words.get(word) ?? null;
    const isOpen = is === null || is === 'doubtful' || (is === 'left' && isClear && isInactive(word));
    return isOpen && !isProved(column, word, known) && !isPresent(sample, column, word, known);
  });
}

/** True if nearly all people with a word are active in the account. */
function isPresent(sample: Sample, column: ColumnGuess, word: string, known: readonly MatchedRow[]): boolean {
  const text = readCell(column);
  const rows = sample.kept.filter((row) => text(row) === word).length;
  const marked = known.filter(({ row }) => text(row) === word);
  const isMost =
    marked.length === rows ? marked.length >= 2 : marked.length >= LEAST_KNOWN && marked.length * 10 >= rows * 9;
  return isMost && marked.every(({ person }) => !person.deactivated);
}

/** Default words for people who have left, for a file without leavers. */
const USUAL_LEFT = ['terminated', 'inactive', 'left'];

/** Meanings that may be changed to left if the people with the word are deactivated in the account. */
const MAY_BE_PROVED: ReadonlySet<WorkStanding | null> = new Set(['doubtful', 'left', null]);

export function ruleOfStatus(
  sample: Sample,
  status: StatusColumn,
  known: readonly MatchedRow[],
  isFirst: boolean,
): Rule | null {
  const { column, words } = status;
  const said = [...words].flatMap(([word, is]) => (is === 'left' ? [word] : []));
  // If the file has a clear word for leavers, an inactive person may only be on leave.
  const isClear = said.some((word) => !isInactive(word));
  const sure = said.filter((word) => !isClear || !isInactive(word));
  const proved = [...words.keys()].filter(
    (word) => MAY_BE_PROVED.has(words.get(word) ?? null) && isProved(column, word, known),
  );
  const left = [...new Set([...sure, ...proved])];
  // If a word for leavers is clear, rows with the other words wait anyway.
  const open = left.length > 0 ? [] : listOpen(sample, status, known);
  const [first] = open;
  if (left.length > 0 || first !== undefined) {
    const rule = ruleOfWords(sample, column, [...left, ...open]);
    const asked = first ?? (isUnnamed(status) && proved.length === 0 ? left[0] : undefined);
    if (asked === undefined) return rule;
    return {
      ...rule,
      doubt: `does ${JSON.stringify(asked)} in ${JSON.stringify(column.name)} mean that a person has left`,
    };
  }
  if (!isFirst || column.column?.type === 'bool') return isFirst ? ruleOfFlag(sample, column) : null;
  const note = 'no one in this file has left, so these are common words for it';
  return { ...ruleOfWords(sample, column, USUAL_LEFT), note };
}

/** Returns the rule for a flag that has one value for everyone at work. The other value means that a person has left. */
function ruleOfFlag(sample: Sample, column: ColumnGuess): Rule {
  const flag = flagOf(splitHeader(column.name));
  return {
    ...ruleOfWords(sample, column, [flag?.isHere === false ? 'true' : 'false']),
    note: 'no longer active',
  };
}

/**
 * True if at least half of the people with the word are deactivated, and at least half of the deactivated people have the word.
 */
function isProved(column: ColumnGuess, word: string, known: readonly MatchedRow[]): boolean {
  const text = readCell(column);
  const marked = known.filter(({ row }) => text(row) === word);
  const both = marked.filter(({ person }) => person.deactivated).length;
  const gone = known.filter(({ person }) => person.deactivated).length;
  return known.length >= LEAST_KNOWN && both >= 2 && both * 2 >= marked.length && both * 2 >= gone;
}
