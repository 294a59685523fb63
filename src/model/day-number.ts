const DAY_MS = 86_400_000;

/** Days from 1970 on. A moment is of the day that begins with it in UTC, or next: midnights of any zone are of one each. */
export function dayNumber(moment: Date | number): number {
  return Math.ceil(Number(moment) / DAY_MS);
}

/** The last moment of a day by its number. */
export function endOfDay(number: number): Date {
  return new Date(number * DAY_MS);
}
