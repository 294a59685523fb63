/**
 * Dates that programs write for a missing date: the first day of .NET, of SQL Server's `datetime`, of Windows, of spreadsheets
 * and of Unix. Spreadsheets use 1899-12-30, 1899-12-31 or 1900-01-01; old Macs use 1904-01-01. West of Greenwich, the first day
 * of Unix is one day earlier.
 */
const PLACEHOLDERS: ReadonlySet<string> = new Set([
  '0001-01-01',
  '1601-01-01',
  '1753-01-01',
  '1899-12-30',
  '1899-12-31',
  '1900-01-01',
  '1904-01-01',
  '1969-12-31',
  '1970-01-01',
]);

/**
 * Finds the placeholder that a date equals, such as `1900-01-01`; null if there is none. A time is compared in UTC and in its
 * own timezone.
 *
 * @param dayOf returns the day of a moment in the configured zone
 */
export function findPlaceholder(date: Date | string, dayOf: (at: Date) => string): string | null {
  const days = typeof date === 'string' ? readDays(date) : [dayOf(date), date.toISOString().slice(0, 10)];
  return days.find((day) => PLACEHOLDERS.has(day)) ?? null;
}

/** Reads a text as a date in every possible order of day and month. */
function readDays(text: string): readonly string[] {
  const iso = /^(\d{4})[-./](\d{1,2})[-./](\d{1,2})(?!\d)/.exec(text);
  const turned = /^(\d{1,2})[-./](\d{1,2})[-./](\d{4})(?!\d)/.exec(text);
  const write = (...[year = '', month = '', day = '']: (string | undefined)[]): string =>
    `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (iso !== null) return [write(iso[1], iso[2], iso[3])];
  return turned === null ? [] : [write(turned[3], turned[2], turned[1]), write(turned[3], turned[1], turned[2])];
}

/** True for a year that programs write for a missing year of birth. No employee can be that old. */
export function isPlaceholderYear(year: number): boolean {
  return year === 1900 || year === 1901;
}
