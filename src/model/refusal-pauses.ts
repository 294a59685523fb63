const HOUR_MS = 3_600_000;
/** The next run tries again after the first rejection, because a missing name may have been created. Later pauses get longer. */
const PAUSES_MS = [0, HOUR_MS, 4 * HOUR_MS, 24 * HOUR_MS];

/** Returns how long to wait after a number of rejections in a row, in milliseconds. */
export function pauseAfter(times: number): number {
  return PAUSES_MS[Math.min(times, PAUSES_MS.length) - 1] ?? 0;
}

/** After this many equal rejections of one kind in a row, the cause is not in the changes themselves. */
export const MOST_EQUAL = 5;
