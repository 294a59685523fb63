import type { ValueDifference } from '../sections/differences.js';
import { clip, displayWidth, padDisplay, type TerminalLook } from './style.js';

const EMPTY = '(empty)';
/** Maximum number of fields on a terminal. The report lists all of them. */
const SHOWN_FIELDS = 20;
const LONGEST_FIELD = 36;
/** Number of common characters to keep before the first difference. */
const CONTEXT = 16;

/**
 * Shows before → after for each field, on one line if it fits, otherwise on two. Long texts are shortened to the changed
 * part with a little context.
 */
export function foldDifferences(
  differences: readonly ValueDifference[],
  indent: number,
  { width, style }: TerminalLook,
  most = SHOWN_FIELDS,
): readonly string[] {
  const shown = differences.slice(0, most);
  const space = ' '.repeat(indent);
  const names = Math.min(LONGEST_FIELD, Math.max(0, ...shown.map(({ field }) => displayWidth(field))));
  const lines = shown.flatMap(({ field, before, after, isLater }) => {
    const room = width - indent;
    const name = `${padDisplay(clip(field, LONGEST_FIELD), names)}  `;
    const [old, now] = [quote(before), isLater === true ? `(${after})` : quote(after)];
    if (displayWidth(name) + displayWidth(old) + displayWidth(now) + 3 <= room)
      return [`${space}${name}${style.dim(old)} → ${now}`];
    const [shortOld, shortNow] = foldPair(before, after, room - 6);
    return [
      `${space}${name.trimEnd()}`,
      `${space}  ${style.bad('-')} ${style.dim(shortOld)}`,
      `${space}  ${style.good('+')} ${shortNow}`,
    ];
  });
  const more = differences.length - shown.length;
  return more === 0 ? lines : [...lines, style.dim(`${space}… and ${more} more fields`)];
}

function quote(text: string | null): string {
  return text === null ? EMPTY : `"${clip(text, Number.POSITIVE_INFINITY)}"`;
}

/** Shortens two long texts so that the difference is visible. */
export function foldPair(before: string | null, after: string | null, width: number): readonly [string, string] {
  const [old, now] = [quote(before), quote(after)];
  if (before === null || after === null) return [clip(old, width), clip(now, width)];
  const [x, y] = [[...old], [...now]];
  let same = 0;
  while (same < x.length && same < y.length && x[same] === y[same]) same += 1;
  const from = same <= CONTEXT || Math.max(x.length, y.length) <= width ? 0 : same - CONTEXT;
  const cut = (text: readonly string[]): string => clip(`${from > 0 ? '…' : ''}${text.slice(from).join('')}`, width);
  return [cut(x), cut(y)];
}
