import { BLANKS, SIGNS } from '../../base/json-walk.js';
import type { Json } from '../../model/json.js';

/** The maximum depth of a value. It is deeper than any record, but limits recursive code. */
export const MAX_DEPTH = 500;
/** The maximum number of values, more than any record has. An empty list takes ten times as much memory as in the file. */
export const MAX_VALUES = 250_000;

const { QUOTE, BACKSLASH, COMMA, COLON, CLOSE_LIST, OPEN_LIST, CLOSE_OBJECT, OPEN_OBJECT } = SIGNS;
const WORD = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** Parses a text; null if it is not JSON, or deeper or larger than any meaningful value. */
export function parseJson(text: string): { readonly value: Json } | null {
  return isJson(text) ? { value: JSON.parse(text) as Json } : null;
}

/**
 * Checks a text before it is parsed. For each text on which JSON.parse throws, V8 keeps a script until the next full
 * garbage collection. Without this check, a file of bad lines took 60 MiB and twice the time.
 */
function isJson(text: string): boolean {
  const end = skipValue(text, 0, { depth: 0, values: 0 });
  return end > 0 && skipBlanks(text, end) === text.length;
}

/** The depth of a place, and the number of values before it. */
interface Extent {
  depth: number;
  values: number;
}

/** Skips a value. Each `skip…` function returns the index at which its element ends, or -1 if there is none. */
function skipValue(text: string, from: number, extent: Extent): number {
  if (++extent.values > MAX_VALUES) return -1;
  const at = skipBlanks(text, from);
  const code = text.charCodeAt(at);
  if (code === QUOTE) return skipText(text, at);
  if (code === OPEN_OBJECT) return skipItems(text, at + 1, extent, CLOSE_OBJECT);
  if (code === OPEN_LIST) return skipItems(text, at + 1, extent, CLOSE_LIST);
  return skipPattern(WORD, text, at);
}

function skipItems(text: string, from: number, extent: Extent, close: number): number {
  if (++extent.depth > MAX_DEPTH) return -1;
  let at = skipBlanks(text, from);
  let code = text.charCodeAt(at) === close ? close : COMMA;
  if (code === close) at++;
  while (code === COMMA) {
    const start = close === CLOSE_OBJECT ? skipName(text, at) : at;
    const end = start < 0 ? -1 : skipValue(text, start, extent);
    if (end < 0) return -1;
    at = skipBlanks(text, end);
    code = text.charCodeAt(at++);
  }
  extent.depth--;
  return code === close ? at : -1;
}

function skipName(text: string, from: number): number {
  const end = skipText(text, skipBlanks(text, from));
  if (end < 0) return -1;
  const at = skipBlanks(text, end);
  return text.charCodeAt(at) === COLON ? at + 1 : -1;
}

function skipText(text: string, from: number): number {
  if (text.charCodeAt(from) !== QUOTE) return -1;
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < 0x20) return -1;
    if (code !== BACKSLASH) continue;
    at = skipPattern(ESCAPE, text, at) - 1;
    if (at < 0) return -1;
  }
  return -1;
}

function skipPattern(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (BLANKS.has(text.charCodeAt(at))) at++;
  return at;
}
