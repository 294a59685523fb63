import type { OpenQuestion } from './answers.js';
import { YES } from './cell-values.js';
import { isOptional, read, readText } from './column-reads.js';
import type { ColumnGuess } from './guess-column.js';
import { readCell, type SampleRow } from './kept-rows.js';
import type { MatchedRow } from './match-people.js';
import type { Sample } from './read-sample.js';

/** The data that shows who has left: the file, the account and the day. */
export interface LeaverEvidence {
  readonly sample: Sample;
  readonly known: readonly MatchedRow[];
  readonly today: Date;
}

/** A condition for people who have left, and a test of the rows that it applies to. */
export interface Rule {
  readonly when: string;
  readonly holds: (row: SampleRow) => boolean;
  readonly note: string;
  /** The question that a person must answer first, without a question mark; null if the rule is sure. */
  readonly doubt: string | null;
  /** Questions that settle the doubt, unless the words of a status do. */
  readonly open?: readonly OpenQuestion[];
}

export interface ProposedLeavers {
  readonly lines: readonly string[];
  /** Rules for rows that wait, because no one has said what their words mean. */
  readonly waiting?: readonly Rule[];
  readonly open: readonly OpenQuestion[];
}

/** Creates a rule from words. Case is ignored, because people type both `Terminated` and `terminated`. */
export function ruleOfWords(sample: Sample, column: ColumnGuess, words: readonly string[]): Rule {
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
