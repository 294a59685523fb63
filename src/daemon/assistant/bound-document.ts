import { isJsonObject, type Json } from '../../model/json.js';

export interface CutPart {
  /** Path of the list, object or text: `data.entries`. */
  readonly at: string;
  readonly shown: number;
  readonly of: number;
  /** How to get the rest. */
  readonly rest: string;
}

export interface BoundedDocument {
  readonly data: Json;
  readonly cut: readonly CutPart[];
}

/** Maximum number of JSON characters in one answer, about 10,000 words for a model. */
export const MOST_CHARACTERS = 40_000;
/** List lengths, tried in turn until the document fits. Objects may have four times as many entries. */
const LENGTHS = [100, 50, 20, 10, 5, 2, 1];
const LONGEST_TEXT = 2_000;

/**
 * Shortens a document so that it fits into one answer. Each shortened list, object or text is listed in `cut`.
 *
 * @param skip entries of the outermost lists that were shown before
 */
export function boundDocument(document: Json, skip: number): BoundedDocument {
  for (const length of LENGTHS) {
    const cut: CutPart[] = [];
    const data = shorten(document, 'data', { length, skip, cut });
    if (JSON.stringify([data, cut]).length <= MOST_CHARACTERS) return { data, cut };
  }
  return { data: null, cut: [{ at: 'data', shown: 0, of: 1, rest: 'It is too large. Ask for one part of it by id.' }] };
}

interface Shortening {
  readonly length: number;
  readonly skip: number;
  readonly cut: CutPart[];
}

function shorten(value: Json, at: string, how: Shortening): Json {
  const { length, cut } = how;
  if (typeof value === 'string') {
    if (value.length <= LONGEST_TEXT) return value;
    cut.push({ at, shown: LONGEST_TEXT, of: value.length, rest: 'The pages show the complete text.' });
    return `${value.slice(0, LONGEST_TEXT)}…`;
  }
  if (Array.isArray(value)) {
    const isOutermost = at.split('.').length === 2;
    const from = isOutermost ? how.skip : 0;
    const shown: readonly Json[] = value.slice(from, from + length);
    if (shown.length < value.length) {
      const rest = isOutermost ? nextPart(from + shown.length, value.length) : 'Ask for this one part by its id.';
      cut.push({ at, shown: shown.length, of: value.length, rest });
    }
    return shown.map((item, i) => shorten(item, `${at}[${from + i}]`, how));
  }
  if (!isJsonObject(value)) return value;
  const all = Object.entries(value);
  const shown = all.slice(0, 4 * length);
  if (shown.length < all.length)
    cut.push({ at, shown: shown.length, of: all.length, rest: 'The pages show all of them.' });
  return Object.fromEntries(shown.map(([name, item]) => [name, shorten(item, `${at}.${name}`, how)]));
}

function nextPart(end: number, all: number): string {
  return end < all ? `Ask again with skip: ${end}.` : 'These are the last; a smaller `skip` shows earlier ones.';
}
