import { foldText, splitHeader } from '../../model/fold-words.js';
import { readStandings, type WorkStanding } from '../../model/standings.js';
import type { Answers } from './answers.js';
import { NO, YES } from './cell-values.js';
import type { ColumnGuess } from './guess-column.js';
import { readCell, type SampleRow } from './kept-rows.js';
import { CONTRACTS } from './meanings.js';
import type { Sample } from './read-sample.js';
import { coverColumn, isOfOthers } from './recognise.js';

/** A column with more distinct words is not a status. */
const MOST_WORDS = 20;
/** Minimum share of rows with a status that is understood. */
const LEAST_UNDERSTOOD = 0.6;

/** A column that contains a status, and the meanings of its words. */
export interface StatusColumn {
  readonly column: ColumnGuess;
  readonly cover: number;
  readonly words: ReadonlyMap<string, WorkStanding | null>;
}

/** Finds columns that may show who has left or starts later, the best first. Content counts only if no header names a status. */
export function findStatuses(sample: Sample, { columns }: Answers): readonly StatusColumn[] {
  const named = findNamed(sample, columns.status);
  return named.some(({ words }) => words.size > 0) ? named : [...named, ...findByContent(sample, named)];
}

function findNamed(sample: Sample, given: string | undefined): readonly StatusColumn[] {
  return sample.columns
    .filter(
      ({ name, counts }) => counts !== null && counts.size <= MOST_WORDS && (given === undefined || name === given),
    )
    .map((column) => ({ column, words: readWords(column), cover: given === undefined ? coverStatus(column) : 1 }))
    .filter(({ column, cover, words }) => cover > 0 && (given !== undefined || words.size > 0 || isSure(column)))
    .sort((a, b) => Number(b.words.size > 0) - Number(a.words.size > 0) || b.cover - a.cover);
}

/**
 * Finds columns in which all words are about work and one word means being at work. They are sure only if the header is about
 * employment.
 */
function findByContent(sample: Sample, named: readonly StatusColumn[]): readonly StatusColumn[] {
  return sample.columns.flatMap((column): readonly StatusColumn[] => {
    const all = [...(column.counts ?? new Map<string, number>()).keys()];
    const headers = splitHeader(column.name);
    const isAbout = headers.some((word) => OTHER_STATUS.test(word) || CONTRACTS.has(word)) || isOfOthers(column);
    if (isAbout || named.some((one) => one.column === column) || all.length > MOST_WORDS) return [];
    const words = readStandings(all);
    if (![...words.values()].every((is) => is !== null) || !all.some((word) => HERE_FLAG.test(foldText(word))))
      return [];
    return [{ column, words, cover: headers.some((word) => OF_WORK.test(word)) ? LEAST_SURE : UNNAMED_COVER }];
  });
}

const OF_WORK =
  /^(?:employ|work|beschaft|arbeit|dienst|ansatt|ansett|ansaett|anstall|tyosuhde|tyosuhteen|empleo|emploi|lavor)/;
/** Minimum cover of a header that names a status. */
const LEAST_SURE = 0.4;
const UNNAMED_COVER = 0.2;

/** True if only the words of a column suggest a status. */
export function isUnnamed({ cover }: StatusColumn): boolean {
  return cover < LEAST_SURE;
}

/** True if the header says that a column is the status of people. */
export function isSure(column: ColumnGuess): boolean {
  return coverColumn(column, 'status').cover >= 0.9 && column.column?.type !== 'bool';
}

/** Returns how clearly a header names a status, 0 to 1. The status of a position counts less than the status of a person. */
function coverStatus(column: ColumnGuess): number {
  const words = splitHeader(column.name);
  if (isOfOthers(column) || words.some((word) => OTHER_STATUS.test(word))) return 0;
  const { cover } = coverColumn(column, 'status');
  if (cover > 0) return cover;
  if (flagOf(words) !== null || foldText(column.name) === 'useraccountcontrol') return 0.8;
  return words.some((word) => /(?:status|statut)$|^(?:state|stato|estado|tila)$/.test(word)) ? LEAST_SURE : 0;
}

/** Matches a status of something other than a person's work. */
const OTHER_STATUS =
  /^(?:marital|civil|military|visa|permit|immigration|pension|tax|payroll|benefits?|training|vaccination|background|probation|review|approval|sync|license|licence|mfa|invitation|disability|contract|project)$/;

/** Returns word → meaning; empty unless most rows have a word that is understood. */
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

/** Reads codes of Active Directory. The second bit means that the account is disabled. */
function readControls(words: readonly string[]): ReadonlyMap<string, WorkStanding> {
  return new Map(words.map((word) => [word, (Number(word) & 2) === 0 ? 'here' : 'doubtful']));
}

function isFlag(type: string | undefined, counts: ReadonlyMap<string, number>): boolean {
  return type === 'bool' || (counts.size <= 2 && [...counts.keys()].every((word) => YES.test(word) || NO.test(word)));
}

const NOT = /^(?:not|nicht|ikke|inte|non|nie|niet|longer)$/;

interface Flag {
  /** True if yes means that the person is at work. */
  readonly isHere: boolean;
  readonly isOfAccount: boolean;
}

const HERE_FLAG = /^(?:activ|aktiv|actief|actif|attiv|ativ|aktyw|enabled|employed|current|angestellt|beschaftigt)/;
const GONE_FLAG =
  /^(?:inactiv|inaktiv|leaver|ausgetreten|terminated|deactivated|archived|deleted|left|blocked|block|suspended|disabled|locked|gesperrt|deaktiviert|sperret|sparrad)/;
const ACCOUNT_FLAG = /^(?:enabled|block|suspended|disabled|locked|archived|gesperrt|deaktiviert|sperret|sparrad)/;
/** Words that may occur next to a flag of a person or an account. Any other word makes it a flag of a service: `MFA Enabled`. */
const FLAG_BESIDE =
  /^(?:is|now|still|currently|account|user|employee|staff|worker|person|member|colleague|sign|in|login|credential|credentials|konto|er|ist|est|noch|fortsatt|fortfarande|stadig|toujours|encore|nog)$/;

export function flagOf(words: readonly string[]): Flag | null {
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

export function isAtWork(status: StatusColumn | undefined, row: SampleRow): boolean {
  return status !== undefined && ['here', 'away'].includes(status.words.get(readCell(status.column)(row)) ?? '');
}
