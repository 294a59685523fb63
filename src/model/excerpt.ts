import { showOddSpaces } from './odd-signs.js';

/** A line of text with the part of it that is meant. */
export interface Excerpt {
  /** One line, shortened if it is long. */
  readonly text: string;
  /** Position of the caret, counted from 0. */
  readonly column: number;
  /** Length of the marked part in characters. */
  readonly length: number;
}

/** Longer lines are shortened: with its indentation an excerpt fits into 80 columns. */
const LONGEST = 68;
/** Characters of a shortened line that stay before the marked part. */
const CONTEXT = 24;

/** Returns the line of a text that contains a position, shortened if it is long. */
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
  // A tab would move the caret, by a different width on every terminal.
  return { text: showOddSpaces(cropped.replaceAll('\t', '→')), column: at, length };
}

/** Returns the line, and a second one that underlines the marked part. */
export function underline({ text, column, length }: Excerpt): readonly [string, string] {
  return [text, `${' '.repeat(column)}${'^'.repeat(length)}`];
}
