import type { Json } from '../model/json.js';

/** The marks of JSON, as bytes in UTF-8. They equal the character codes. */
export const SIGNS = {
  ...{ QUOTE: 0x22, BACKSLASH: 0x5c, COMMA: 0x2c, COLON: 0x3a },
  ...{ OPEN_LIST: 0x5b, CLOSE_LIST: 0x5d, OPEN_OBJECT: 0x7b, CLOSE_OBJECT: 0x7d },
} as const;
const { QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT } = SIGNS;
export const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, 0x0a]);
/** For each byte, these tables say if it is a mark, and how it changes the depth. */
const [IS_MARK, DEEPER] = [new Uint8Array(256), new Int8Array(256)];
for (const mark of [COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) IS_MARK[mark] = 1;
for (const mark of [OPEN_LIST, OPEN_OBJECT]) DEEPER[mark] = 1;
for (const mark of [CLOSE_LIST, CLOSE_OBJECT]) DEEPER[mark] = -1;

export const isOpening = (byte: number): boolean => DEEPER[byte] === 1;
export const isClosing = (byte: number): boolean => DEEPER[byte] === -1;

/** Moves through JSON in chunks, from mark to mark. Marks are commas and brackets. */
export class JsonWalk {
  /** Number of open objects and lists after the last mark. */
  depth = 0;
  /** Number of bytes of the next chunk that are escaped in the open text; null outside a text. */
  private escaped: number | null = null;

  /** Returns the position of the next mark outside texts; -1 if this chunk has no more. */
  nextMark(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.escaped !== null || byte === QUOTE) {
        at = this.endOfText(chunk, at) - 1;
        if (at < 0) return -1;
      } else if (IS_MARK[byte] === 1) {
        this.depth += DEEPER[byte] as number;
        return at;
      }
    }
    return -1;
  }

  /** Returns the position after the text that begins or continues at `from`; -1 if the text does not end in this chunk. */
  endOfText(chunk: Uint8Array, from: number): number {
    let at = from + (this.escaped ?? 1);
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) {
        this.escaped = null;
        return at + 1;
      }
    }
    this.escaped = at - chunk.length;
    return -1;
  }
}

/** Returns the position after the number or word that begins or continues at `from`; -1 if it does not end in this chunk. */
export function endOfWord(chunk: Uint8Array, from: number): number {
  for (let at = from; at < chunk.length; at++) {
    const byte = chunk[at] as number;
    if (byte === COMMA || isClosing(byte) || BLANKS.has(byte)) return at;
  }
  return -1;
}

/**
 * Returns undefined for text that is not JSON. The parser's own error is dropped because it quotes the content, which
 * is personal data.
 */
export function parseText(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
