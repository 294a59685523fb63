import { BLANKS, isClosing, isOpening, JsonWalk, SIGNS } from '../json-walk.js';
import { refuseObject } from './answer-fault.js';
import { MOST_LEVELS } from './limits.js';

/** Blanks and the bytes of a byte order mark. */
const SKIPPED: ReadonlySet<number> = new Set([...BLANKS, 0xef, 0xbb, 0xbf]);

/** Counts the values of JSON while it arrives. */
export class Meter {
  /** Number of values so far; 0 unless the text begins with an object or a list. */
  values = 0;
  private first: number | null = null;
  private readonly walk = new JsonWalk();

  get isList(): boolean {
    return this.first === SIGNS.OPEN_LIST;
  }

  /** @throws AnswerFault if values are nested too deeply */
  write(chunk: Uint8Array): void {
    this.first ??= chunk.find((byte) => !SKIPPED.has(byte)) ?? null;
    // In a web page, brackets and quotation marks do not belong to JSON.
    if (this.first === null || !isOpening(this.first)) return;
    for (let at = this.walk.nextMark(chunk, 0); at >= 0; at = this.walk.nextMark(chunk, at + 1)) {
      if (isClosing(chunk[at] as number)) continue;
      this.values++;
      if (this.walk.depth > MOST_LEVELS)
        throw refuseObject(`The answer is nested more than ${MOST_LEVELS} levels deep`);
    }
  }
}
