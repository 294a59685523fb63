import type { Hold } from './desired.js';
import { groupBy } from './group-by.js';

/** The evidence for and against one person fits in. */
const LONGEST = 500;

/** The reason without the record's own key and places: what holds of one cause say alike. */
export function withoutRecord({ key, place, reason }: Pick<Hold, 'key' | 'place' | 'reason'>): string {
  const bare = place.split(' and ').reduce((text, one) => (one === '' ? text : text.replaceAll(one, '')), reason);
  // Of `(hr a.csv:3, hr a.csv:7)` nothing is left but its signs.
  const said = bare === reason ? bare : bare.replaceAll(/ ?\([\s,;:\d]*\)/g, '');
  const own = key === '' || key === '?' ? said : withoutWord(said, key);
  const text = shorten(own.replace(/^[\s:]+/, ''));
  return said === reason ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

/** Cut between words, and marked. */
function shorten(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).replace(/\s+\S*$/, '')} …`;
}

const ENDS_IN_WORD = /[\p{L}\p{N}]$/u;
const BEGINS_AS_WORD = /^[\p{L}\p{N}]/u;

/** As a word: the key `1` is not in `unit1`. Not by a pattern of the key: it would be compiled for each of 100,000 holds. */
function withoutWord(text: string, word: string): string {
  let [rest, kept] = ['', 0];
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, Math.max(at + 1, kept))) {
    const end = at + word.length;
    const [before, after] = [text.slice(Math.max(0, at - 2), at), text.slice(end, end + 2)];
    if (ENDS_IN_WORD.test(before) || BEGINS_AS_WORD.test(after)) continue;
    rest += `${text.slice(kept, at)}…`;
    kept = end;
  }
  return rest + text.slice(kept);
}

/** So many causes that differ in nothing but a value are told one by one; more are one cause: a feed names a hundred unknown projects. */
const MOST_ALIKE = 5;

/** Joins the groups of a kind where there are more of them than are told one by one. */
export function joinAlike<T>(
  groups: readonly T[],
  kindOf: (group: T) => string,
  join: (one: T, other: T) => T,
): readonly T[] {
  return [...groupBy(groups, kindOf).values()].flatMap((alike) =>
    alike.length > MOST_ALIKE ? [alike.reduce(join)] : alike,
  );
}

/** The cause without the values in it: `"31.02.2026" is no date` and `"soon" is no date` are one. */
export function generalise(cause: string): string {
  return cause.replaceAll(/"[^"]*"/g, '"…"').replaceAll(/\d+/g, '…');
}
