import { evenOut, WIDEST } from './comparison.js';
import { type Entity, TRAITS } from './entity.js';
import { FIELDS } from './fields.js';
import type { Values } from './json.js';
import { replacePlainLetters } from './plain-letters.js';

/** Shorter words occur in any text (`7` in a date), so they count only if they fill a cell. */
const SHORTEST_PHRASE = 4;

/** The cells of a row as written, before conversion. */
export type RawRow = readonly string[];

/** Lists all texts and numbers in a value of any shape. */
export function listTexts(value: unknown): RawRow {
  if (value === null || value === undefined || typeof value === 'boolean') return [];
  if (value instanceof Date) return [value.toISOString()];
  if (Array.isArray(value)) return value.flatMap(listTexts);
  if (typeof value === 'object') return Object.values(value).flatMap(listTexts);
  return [String(value)];
}

/** Reduces a text to its words, without case, accents and punctuation, separated by single spaces. */
export function reduceText(text: string): string {
  const even = evenOut(text, WIDEST);
  const plain = /^[\x20-\x7e]*$/.test(even) ? even : even.normalize('NFD').replace(/\p{M}+/gu, '');
  return plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

/** Does the same as `reduceText`, and also replaces letters such as `ø`, for searches in which people type part of a word. */
export function foldLoosely(text: string): string {
  return replacePlainLetters(reduceText(text));
}

export function reduceCells(row: RawRow): RawRow {
  return row.map(reduceText).filter((cell) => cell !== '');
}

/** Joins a row into one searchable text, with a space at each end. */
export function joinCells(cells: RawRow): string {
  return ` ${cells.join(' ')} `;
}

/**
 * Lists the words that are too short to search for, but fill a cell or are attached to one: the `7` of `active7`.
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

/**
 * Checks whether a reduced row contains a phrase. Only one end must be a word boundary, because a missing newline can join the
 * other end to the next word.
 */
export function hasPhrase(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    if (text[at - 1] === ' ' || text[at + phrase.length] === ' ') return true;
  }
  return false;
}

/** Lists the fields whose values identify an object. CV content and project links are identified by their person. */
export function identityFields(entity: Entity): readonly string[] {
  if (TRAITS[entity].parent === 'user_id') return ['user'];
  return Object.entries(FIELDS[entity]).flatMap(([name, { shape, matchable }]) =>
    matchable === true && shape !== 'integer' ? name : [],
  );
}

/**
 * The identifiers of a record, reduced: its key, and the values it can be matched by. A name comes in every rotation of its
 * words, because lists may put the last name first.
 *
 * @param values the agreed values and those that the service shows
 */
export function listIdentities(entity: Entity, key: string, values: readonly (Values | null)[]): readonly string[] {
  const known = identityFields(entity).flatMap((name) => values.flatMap((one) => listTexts(one?.[name])));
  return [...new Set([key, ...known.flatMap(turnWords)].map(reduceText))].filter((phrase) => phrase !== '');
}

/** Lists every rotation of the words: `Jan van Berg`, `van Berg Jan`, `Berg Jan van`. */
function turnWords(text: string): readonly string[] {
  const words = text.trim().split(/\s+/);
  return words.map((_, index) => [...words.slice(index), ...words.slice(0, index)].join(' '));
}
