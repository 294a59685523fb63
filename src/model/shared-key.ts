import { compareTexts } from './compare-texts.js';
import { formatPlace, type Place } from './place.js';

/** Describes several rows with the same key, none of which counts, and lists their places in order. */
export function describeSharedKey(key: string, places: readonly Place[]) {
  const where = places.toSorted((a, b) => compareTexts(a.at, b.at) || (a.line ?? 0) - (b.line ?? 0)).map(formatPlace);
  return {
    place: where.join(' and '),
    code: 'SYNC_MAP_DUPLICATE_KEY',
    reason: `The key "${key}" is in several rows (${where.join(', ')}); none of them is used.`,
    remedy: 'Remove the wrong rows, or set `prefer` on the source to rank one of them above the others.',
  } as const;
}
