import { evenOut, WIDEST } from './comparison.js';
import { type Entity, TRAITS } from './entity.js';
import { FIELDS } from './fields.js';
import type { Values } from './json.js';
import { replacePlainLetters } from './plain-letters.js';

/** Shorter words are in any text (`7` in a date): they count only as a whole cell. */
const SHORTEST_PHRASE = 4;

/** The cells of a row as they are written, before anything is made of them. */
export type RawRow = readonly string[];

/** All texts and numbers in a value, whatever its shape. */
export function listTexts(value: unknown): RawRow {
  if (value === null || value === undefined || typeof value === 'boolean') return [];
  if (value instanceof Date) return [value.toISOString()];
  if (Array.isArray(value)) return value.flatMap(listTexts);
  if (typeof value === 'object') return Object.values(value).flatMap(listTexts);
  return [String(value)];
}

/** Words of a text without case, accents and punctuation, one blank between them. */
export function reduceText(text: string): string {
  const even = evenOut(text, WIDEST);
  const plain = /^[\x20-\x7e]*$/.test(even) ? even : even.normalize('NFD').replace(/\p{M}+/gu, '');
  return plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

/** The same, with letters such as `ø` too: by what people type a part of. */
export function foldLoosely(text: string): string {
  return replacePlainLetters(reduceText(text));
}

export function reduceCells(row: RawRow): RawRow {
  return row.map(reduceText).filter((cell) => cell !== '');
}

/** One row as a text to be searched, with a blank at each end. */
export function joinCells(cells: RawRow): string {
  return ` ${cells.join(' ')} `;
}

/**
 * Words too short to be searched for that a row has as a whole cell, or glued to one: the `7` of `active7`.
 *
 * @param cells reduced
 */
export function listShortWords(cells: RawRow): readonly string[] {
  const words = cells.flatMap((cell) => {
    const [, first, second] = /^(?:.*?)(\p{L}+)(\p{N}+)$/u.exec(cell) ?? /^(\p{N}+)(\p{L}+)/u.exec(cell) ?? [];
    return [cell, first ?? '', second ?? ''];
  });
  return [...new Set(words.filter((word) => word !== '' && isShort(word)))];
}

export function isShort(phrase: string): boolean {
  return phrase.length < SHORTEST_PHRASE;
}

/** Whether a phrase is in a reduced row. One of its ends is an end of a word: a missing newline glues the other. */
export function hasPhrase(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    if (text[at - 1] === ' ' || text[at + phrase.length] === ' ') return true;
  }
  return false;
}

/** The fields whose value says which object it is. What is on a CV, and a link to a project, is known by the person. */
export function identityFields(entity: Entity): readonly string[] {
  if (TRAITS[entity].parent === 'user_id') return ['user'];
  return Object.entries(FIELDS[entity]).flatMap(([name, { shape, matchable }]) =>
    matchable === true && shape !== 'integer' ? name : [],
  );
}

/**
 * What a record is known by, reduced: its key, and what it can be matched by. A name goes in every order of its words, as
 * lists have the last name first.
 *
 * @param values what was agreed and what the service shows
 */
export function listIdentities(entity: Entity, key: string, values: readonly (Values | null)[]): readonly string[] {
  const known = identityFields(entity).flatMap((name) => values.flatMap((one) => listTexts(one?.[name])));
  return [...new Set([key, ...known.flatMap(turnWords)].map(reduceText))].filter((phrase) => phrase !== '');
}

/** `Jan van Berg`, `van Berg Jan`, `Berg Jan van`. */
function turnWords(text: string): readonly string[] {
  const words = text.trim().split(/\s+/);
  return words.map((_, index) => [...words.slice(index), ...words.slice(0, index)].join(' '));
}
