import { showOddSpaces } from './odd-signs.js';

/** A line of text in which one part is marked. */
export interface Excerpt {
  /** The line, shortened if it is long. */
  readonly text: string;
  /** Position of the marked part, counted from 0. */
  readonly column: number;
  /** Length of the marked part in characters. */
  readonly length: number;
}

/** Longer lines are shortened, so that an indented excerpt fits into 80 columns. */
const LONGEST = 68;
/** Number of characters before the marked part that a shortened line keeps. */
const CONTEXT = 24;

/** Returns the line that contains a position in a text, shortened if it is long. */
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
  // A tab would move the caret by a width that depends on the terminal.
  return { text: showOddSpaces(cropped.replaceAll('\t', '→')), column: at, length };
}

/** Returns the line, and a second line that underlines the marked part. */
export function underline({ text, column, length }: Excerpt): readonly [string, string] {
  return [text, `${' '.repeat(column)}${'^'.repeat(length)}`];
}
