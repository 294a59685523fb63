const DAY_MS = 86_400_000;

/** Days since 1970-01-01 UTC, rounded up, so that midnight in any timezone gives the same number. */
export function dayNumber(moment: Date | number): number {
  return Math.ceil(Number(moment) / DAY_MS);
}

/** The last moment of a day, given its number. */
export function endOfDay(number: number): Date {
  return new Date(number * DAY_MS);
}
