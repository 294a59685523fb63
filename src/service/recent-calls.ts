/** Accepted calls of the last two minutes, in tenths of a second. */
export interface RecentCalls {
  add(nowMs: number): void;
  countSince(fromMs: number): number;
  /** How long until the average over the last minute is down to so many calls per second; 0 when it is. */
  surplusMs(nowMs: number, perSecond: number): number;
}

const BIN_MS = 100;
const BINS = 1_300;
const MINUTE_MS = 60_000;

export function createRecentCalls(): RecentCalls {
  const counts = new Float64Array(BINS);
  let last = Number.NaN;

  function advance(bin: number): void {
    if (Number.isNaN(last) || bin - last >= BINS) counts.fill(0);
    else for (let next = last + 1; next <= bin; next += 1) counts[next % BINS] = 0;
    last = Number.isNaN(last) ? bin : Math.max(last, bin);
  }

  const at = (bin: number): number => counts[bin % BINS] ?? 0;

  return {
    add(nowMs) {
      const bin = Math.floor(nowMs / BIN_MS);
      advance(bin);
      counts[bin % BINS] = at(bin) + 1;
    },
    countSince(fromMs) {
      let sum = 0;
      for (let bin = Math.max(Math.floor(fromMs / BIN_MS), last - BINS + 1); bin <= last; bin += 1) sum += at(bin);
      return sum;
    },
    surplusMs(nowMs, perSecond) {
      const bin = Math.floor(nowMs / BIN_MS);
      let missing = (perSecond * MINUTE_MS) / 1_000;
      for (let back = 0; back < MINUTE_MS / BIN_MS; back += 1) {
        if (bin - back <= last) missing -= at(bin - back);
        if (missing <= 0) return MINUTE_MS - back * BIN_MS;
      }
      return 0;
    },
  };
}
