import { patternOfFormat, readWallTime } from '../cells/dates.js';
import { isRealTime, readAsUtc } from '../cells/zoned-time.js';
import { compareNames } from './file-names.js';
import type { Newest } from './resolve-file-rules.js';

/**
 * Sorts file names from the oldest to the newest. Names of the same age are sorted by name.
 *
 * | `newest`   | the newest is                                                          |
 * |------------|------------------------------------------------------------------------|
 * | `name`     | the last in natural order of names                                     |
 * | `modified` | the one that was changed last                                          |
 * | `date`     | the one with the latest date in its name; one without a date is oldest |
 *
 * @param times modification times of the files in milliseconds, only needed for `modified`
 */
export function sortByAge(
  names: readonly string[],
  newest: Newest,
  times: ReadonlyMap<string, number>,
): readonly string[] {
  const sorted = [...names].sort(compareNames);
  if (newest === 'name') return sorted;
  const readDate = newest === 'modified' ? null : compileNameDate(newest.date);
  const ageOf = (name: string): number => (readDate === null ? times.get(name) : readDate(name)) ?? -Infinity;
  const ages = new Map(sorted.map((name) => [name, ageOf(name)]));
  // Two names without an age give NaN, which becomes 0.
  return sorted.sort((a, b) => (ages.get(a) ?? 0) - (ages.get(b) ?? 0) || 0);
}

/**
 * Returns a function that finds a date anywhere in a name, such as `dd-MM-yyyy` in `employees-01-02-2027.csv`. The
 * function uses the first match that is a real day.
 *
 * @throws RangeError for an unsupported format
 */
export function compileNameDate(format: string): (name: string) => number | null {
  const pattern = new RegExp(`(?<!\\d)${patternOfFormat(format)}(?!\\d)`, 'g');
  return (name) => {
    for (const { groups = {} } of name.matchAll(pattern)) {
      const wall = readWallTime(groups);
      if (isRealTime(wall)) return readAsUtc(wall);
    }
    return null;
  };
}
