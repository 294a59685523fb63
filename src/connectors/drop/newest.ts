import { splitFormat } from '../cells/dates.js';
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
  const compareAges = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);
  return sorted.sort((a, b) => compareAges(ages.get(a) ?? 0, ages.get(b) ?? 0));
}

const DIGITS: Readonly<Record<string, string>> = {
  yyyy: '(?<yyyy>\\d{4})',
  MM: '(?<MM>\\d{2})',
  dd: '(?<dd>\\d{2})',
  HH: '(?<HH>\\d{2})',
  mm: '(?<mm>\\d{2})',
  ss: '(?<ss>\\d{2})',
};

/**
 * Reads the date in a name, wherever it stands: `dd-MM-yyyy` in `employees-01-02-2027.csv`. Of several the first that is a day.
 *
 * @throws RangeError for a format it cannot follow
 */
export function compileNameDate(format: string): (name: string) => number | null {
  const source = splitFormat(format)
    .map((part) => ('token' in part ? DIGITS[part.token] : part.text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('');
  const pattern = new RegExp(`(?<!\\d)${source}(?!\\d)`, 'g');
  return (name) => {
    for (const { groups = {} } of name.matchAll(pattern)) {
      const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = [
        'yyyy',
        'MM',
        'dd',
        'HH',
        'mm',
        'ss',
      ].map((token) => (groups[token] === undefined ? undefined : Number(groups[token])));
      const time = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
      if (time.getUTCMonth() === month - 1 && time.getUTCDate() === day) return time.getTime();
    }
    return null;
  };
}
