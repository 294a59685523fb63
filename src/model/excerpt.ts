import { showOddSpaces } from './odd-signs.js';

/** A piece of what somebody wrote, with the place in it that is meant. */
export interface Excerpt {
  /** One line, cut where it is long. */
  readonly text: string;
  /** Where the caret goes, counted from 0. */
  readonly column: number;
  /** How many characters are meant. */
  readonly length: number;
}

/** Longer lines are cut: with its indentation an excerpt fits into 80 columns. */
const LONGEST = 68;
/** So much of a cut line stays before the place that is meant. */
const CONTEXT = 24;

/** The line of a text that holds a place, the rest left out. */
export function excerptAt(text: string, start: number, end: number = start + 1): Excerpt {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const next = text.indexOf('\n', start);
  const line = text.slice(from, next === -1 ? undefined : next).replace(/\r$/, '');
  const column = start - from;
  const cut = line.length <= LONGEST ? 0 : Math.max(0, Math.min(column - CONTEXT, line.length - LONGEST));
  const shown = cut === 0 ? line : `…${line.slice(cut + 1)}`;
  const cropped = shown.length <= LONGEST ? shown : `${shown.slice(0, LONGEST - 1)}…`;
  const at = Math.min(column - cut, cropped.length);
  const length = Math.max(1, Math.min(end - start, cropped.length - at));
  // A tab would put the caret elsewhere on every terminal.
  return { text: showOddSpaces(cropped.replaceAll('\t', '→')), column: at, length };
}

/** The line, and under it what is meant. */
export function underline({ text, column, length }: Excerpt): readonly [string, string] {
  return [text, `${' '.repeat(column)}${'^'.repeat(length)}`];
}
