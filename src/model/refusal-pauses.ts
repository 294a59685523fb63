const HOUR_MS = 3_600_000;
/** Refused once: the next run tries again, for a name may have been created in between. Then ever more rarely. */
const PAUSES_MS = [0, HOUR_MS, 4 * HOUR_MS, 24 * HOUR_MS];

/** How long something rests that was refused so many times in a row. */
export function pauseAfter(times: number): number {
  return PAUSES_MS[Math.min(times, PAUSES_MS.length) - 1] ?? 0;
}

/** So many changes of a kind in a row that are refused alike are refused for something else than themselves. */
export const MOST_EQUAL = 5;
