import type { Hold } from './desired.js';

const LONGEST = 300;

/** The reason without the record's own key and places: what holds of one cause say alike. */
export function withoutRecord({ key, place, reason }: Pick<Hold, 'key' | 'place' | 'reason'>): string {
  const bare = place.split(' and ').reduce((text, one) => (one === '' ? text : text.replaceAll(one, '')), reason);
  // Of `(hr a.csv:3, hr a.csv:7)` nothing is left but its signs.
  const said = bare === reason ? bare : bare.replaceAll(/ ?\([\s,;:\d]*\)/g, '');
  const own = key === '' || key === '?' ? said : said.replaceAll(wordOf(key), '…');
  const text = own.replace(/^[\s:]+/, '').slice(0, LONGEST);
  return said === reason ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

/** As a word: the key `1` is not in `unit1`. */
function wordOf(key: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])${key.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'gu');
}

/** The cause without the values in it: `"31.02.2026" is no date` and `"soon" is no date` are one. */
export function generalise(cause: string): string {
  return cause.replaceAll(/"[^"]*"/g, '"…"').replaceAll(/\d+/g, '…');
}
