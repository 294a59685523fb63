/**
 * Days that programs write where they have none: the first day of .NET, of SQL Server's `datetime`, of spreadsheets (1899-12-30 in
 * most, 1899-12-31 and 1900-01-01 in some, 1904-01-01 on old Macs), of Windows, and of Unix, which is a day earlier west of
 * Greenwich.
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
 * The placeholder that a date is, as `1900-01-01`; null where it is none. A moment may be one in its own zone or in UTC.
 *
 * @param dayOf the day of the configured zone that a moment is on
 */
export function findPlaceholder(date: Date | string, dayOf: (at: Date) => string): string | null {
  const days = typeof date === 'string' ? readDays(date) : [dayOf(date), date.toISOString().slice(0, 10)];
  return days.find((day) => PLACEHOLDERS.has(day)) ?? null;
}

/** A text that is a date, whichever way its day and month are written. */
function readDays(text: string): readonly string[] {
  const iso = /^(\d{4})[-./](\d{1,2})[-./](\d{1,2})(?!\d)/.exec(text);
  const turned = /^(\d{1,2})[-./](\d{1,2})[-./](\d{4})(?!\d)/.exec(text);
  const write = (...[year = '', month = '', day = '']: (string | undefined)[]): string =>
    `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (iso !== null) return [write(iso[1], iso[2], iso[3])];
  return turned === null ? [] : [write(turned[3], turned[2], turned[1]), write(turned[3], turned[1], turned[2])];
}

/** Years of birth that programs write where they have none: nobody who works was born then. */
export function isPlaceholderYear(year: number): boolean {
  return year === 1900 || year === 1901;
}
