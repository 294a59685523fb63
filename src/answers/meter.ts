import { refuseObject } from './answer-fault.js';
import { MOST_LEVELS } from './limits.js';
import { createMarkFinder, isClosing, isOpening, OPEN_LIST, OPEN_OBJECT } from './marks.js';

const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, 0x0a, 0xef, 0xbb, 0xbf]);

/** Counts the values of JSON while it comes. */
export class Meter {
  /** Values so far; none of what does not begin as an object or a list. */
  values = 0;
  private depth = 0;
  private first: number | null = null;
  private readonly find = createMarkFinder((mark) => {
    if (isClosing(mark)) {
      this.depth--;
      return;
    }
    this.values++;
    if (isOpening(mark) && ++this.depth > MOST_LEVELS)
      throw refuseObject(`The answer is nested more than ${MOST_LEVELS} levels deep`);
  });

  get isList(): boolean {
    return this.first === OPEN_LIST;
  }

  /** @throws AnswerFault where values are nested too deeply */
  write(chunk: Uint8Array): void {
    this.first ??= chunk.find((byte) => !BLANKS.has(byte)) ?? null;
    // A web page is no JSON: its brackets and quotation marks mean nothing.
    if (this.first === OPEN_LIST || this.first === OPEN_OBJECT) this.find(chunk);
  }
}
