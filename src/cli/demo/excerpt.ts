import { stripVTControlCharacters } from 'node:util';
import { expectSame } from './claims.js';

/**
 * The first line of a part of the output. The part ends before the next empty or unindented line, or after a given number
 * of lines.
 */
export type OutputPart = string | readonly [begin: string, lines: number];

export interface OutputExcerpt {
  readonly lines: readonly string[];
  /** Number of lines left out. */
  readonly left: number;
}

const LEFT_OUT = '    …';

/** Extracts parts of a command's output, in order. Throws if a part is missing. */
export function takeExcerpt(text: string, parts: readonly OutputPart[]): OutputExcerpt {
  const all = text.trimEnd().split('\n');
  const plain = all.map(stripVTControlCharacters);
  const lines: string[] = [];
  let end = 0;
  let shown = 0;
  for (const part of parts) {
    const [begin, count] = typeof part === 'string' ? [part, null] : part;
    const start = plain.findIndex((line, at) => at >= end && line.startsWith(begin));
    expectSame(`the output shows "${begin}"`, start >= 0, true);
    const between = plain.slice(end, start);
    if (between.length > 0 && lines.length > 0) lines.push(between.every((line) => line === '') ? '' : LEFT_OUT);
    end = start + (count ?? lengthOf(plain.slice(start)));
    lines.push(...all.slice(start, end));
    shown += plain.slice(start, end).filter((line) => line !== '').length;
  }
  return { lines, left: plain.filter((line) => line !== '').length - shown };
}

function lengthOf([, ...more]: readonly string[]): number {
  const end = more.findIndex((line) => !line.startsWith(' '));
  return (end < 0 ? more.length : end) + 1;
}
