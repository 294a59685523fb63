const HOUR_MS = 3_600_000;
/** After the first rejection the next run tries again, because a missing name may have been created. Then the pauses grow. */
const PAUSES_MS = [0, HOUR_MS, 4 * HOUR_MS, 24 * HOUR_MS];

/** How long to wait after this many rejections in a row, in milliseconds. */
export function pauseAfter(times: number): number {
  return PAUSES_MS[Math.min(times, PAUSES_MS.length) - 1] ?? 0;
}

/** If at least this many changes of a kind in a row are rejected in the same way, the cause is not in the changes. */
export const MOST_EQUAL = 5;
