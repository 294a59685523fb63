import { refuseObject } from './answer-fault.js';
import { MOST_LEVELS } from './limits.js';
import { createMarkFinder, isClosing, isOpening, OPEN_LIST, OPEN_OBJECT } from './marks.js';

const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, 0x0a, 0xef, 0xbb, 0xbf]);

export interface Meter {
  write(chunk: Uint8Array): void;
  /** Values so far; none of what does not begin as an object or a list. */
  values(): number;
  /** Whether it begins as a list; null as long as nothing came. */
  isList(): boolean | null;
}

/** Counts the values of JSON while it comes. @throws AnswerFault where they are nested too deeply */
export function createMeter(): Meter {
  let first: number | null = null;
  let [depth, values] = [0, 0];
  const find = createMarkFinder((mark) => {
    if (isClosing(mark)) {
      depth--;
      return;
    }
    values++;
    if (isOpening(mark) && ++depth > MOST_LEVELS)
      throw refuseObject(`The answer is nested more than ${MOST_LEVELS} levels deep`);
  });
  return {
    values: () => values,
    isList: () => (first === null ? null : first === OPEN_LIST),
    write(chunk) {
      first ??= chunk.find((byte) => !BLANKS.has(byte)) ?? null;
      // A web page is no JSON: its brackets and quotation marks mean nothing.
      if (first === OPEN_LIST || first === OPEN_OBJECT) find(chunk);
    },
  };
}
