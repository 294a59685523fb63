import { patternOfFormat, readWallTime } from '../cells/dates.js';
import { isRealTime, readAsUtc } from '../cells/zoned-time.js';
import { compareNames } from './file-names.js';
import type { Newest } from './resolve-file-rules.js';

/**
 * Names of files from the oldest to the newest.
 *
 * | `newest`   | the newest is                                                          |
 * |------------|------------------------------------------------------------------------|
 * | `name`     | the last in natural order of names                                     |
 * | `modified` | the one that was changed last                                          |
 * | `date`     | the one with the latest date in its name; one without a date is oldest |
 *
 * What is equal by that goes by name.
 *
 * @param times when files were changed, in milliseconds; needed for `modified` alone
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
  // Of two without an age the difference is no number.
  return sorted.sort((a, b) => (ages.get(a) ?? 0) - (ages.get(b) ?? 0) || 0);
}

/**
 * Reads the date in a name, wherever it is: `dd-MM-yyyy` in `employees-01-02-2027.csv`. Of several the first that is a day.
 *
 * @throws RangeError for a format it cannot follow
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
