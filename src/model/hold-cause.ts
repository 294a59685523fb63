import type { Hold } from './desired.js';
import { groupBy } from './group-by.js';

/** Leaves room for the evidence for and against one person. */
const LONGEST = 500;

/** Returns the reason without the record's key and places, so that it is the same for all holds with one cause. */
export function withoutRecord({ key, place, reason }: Pick<Hold, 'key' | 'place' | 'reason'>): string {
  const bare = place.split(' and ').reduce((text, one) => (one === '' ? text : text.replaceAll(one, '')), reason);
  // Without the places, only punctuation remains of `(hr a.csv:3, hr a.csv:7)`.
  const said = bare === reason ? bare : bare.replaceAll(/ ?\([\s,;:\d]*\)/g, '');
  const own = key === '' || key === '?' ? said : withoutWord(said, key);
  const text = shorten(own.replace(/^[\s:]+/, ''));
  return said === reason ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

/** Shortens a text between two words and marks the omission. */
function shorten(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).replace(/\s+\S*$/, '')} …`;
}

const ENDS_IN_WORD = /[\p{L}\p{N}]$/u;
const BEGINS_AS_WORD = /^[\p{L}\p{N}]/u;

/**
 * Removes complete words only: the key `1` is not removed from `unit1`. A regular expression would have to be compiled for each
 * of 100,000 holds.
 */
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

/**
 * Up to this many causes that differ only in a value are listed one by one. More are joined into one cause, because a feed may
 * name a hundred unknown projects.
 */
const MOST_ALIKE = 5;

/** Joins groups that differ only in a value, if there are too many to list one by one. */
export function joinAlike<T>(
  groups: readonly T[],
  kindOf: (group: T) => string,
  join: (one: T, other: T) => T,
): readonly T[] {
  return [...groupBy(groups, kindOf).values()].flatMap((alike) =>
    alike.length > MOST_ALIKE ? [alike.reduce(join)] : alike,
  );
}

/** Removes the values from a cause, so that `"31.02.2026" is no date` and `"soon" is no date` become one cause. */
export function generalise(cause: string): string {
  return cause.replaceAll(/"[^"]*"/g, '"…"').replaceAll(/\d+/g, '…');
}
