import { refuseObject } from './answer-fault.js';
import { MOST_LEVELS } from './limits.js';

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
export const [COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x2c, 0x5b, 0x5d, 0x7b, 0x7d];
/** Byte → whether it is a mark: every byte of an answer is looked up here. */
const IS_MARK = new Uint8Array(256);
for (const mark of [COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) IS_MARK[mark] = 1;

/** Finds the commas and brackets of JSON that comes in chunks; what is in texts is none. */
export function createMarkFinder(take: (mark: number, index: number) => void): (chunk: Uint8Array) => void {
  let inText = false;
  let isEscaped = false;
  return (chunk) => {
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index] as number;
      if (isEscaped) isEscaped = false;
      else if (byte === QUOTE) inText = !inText;
      else if (inText) isEscaped = byte === BACKSLASH;
      else if (IS_MARK[byte] === 1) take(byte, index);
    }
  };
}

export const isOpening = (mark: number): boolean => mark === OPEN_LIST || mark === OPEN_OBJECT;
export const isClosing = (mark: number): boolean => mark === CLOSE_LIST || mark === CLOSE_OBJECT;

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
