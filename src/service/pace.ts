/** A bound that is known: so many calls in any span of so many milliseconds. */
export interface Bound {
  /** Calls allowed; may be a fraction (one in two seconds is 0.5 a second). */
  readonly limit: number;
  readonly windowMs: number;
  /** May be spent at once, instead of being spread over the window. */
  readonly burst?: boolean;
}

export interface Pace {
  /** How long until the next call may be sent; 0 for now. */
  delayMs(nowMs: number): number;
  /** A call is sent now. */
  take(nowMs: number): void;
}

/**
 * Keeps a known bound whichever way the server counts: fixed windows are some of the sliding ones, so a promise about
 * every sliding window holds for both.
 *
 * Two rules together: the calls are spread evenly, with a small credit that lets a late timer catch up; and the log of
 * what was really sent never shows more than the limit in one window. Windows are taken a little longer than they are,
 * because the server counts arrivals and the network does not carry all calls equally fast: 2 % of a second is room for
 * 20 ms of jitter, and more than 250 ms buys nothing. The price stays below 3 % of the rate.
 */
export function createPace(bound: Bound): Pace {
  const scale = Math.max(1, 1 / bound.limit);
  const limit = bound.limit * scale;
  const windowMs = bound.windowMs * scale;
  const guardedMs = windowMs + Math.min(windowMs * 0.02, 250);
  const intervalMs = (guardedMs * 1.002) / limit;
  const creditMs = windowMs * 0.05;
  const spread = bound.burst !== true;
  const sentMs = new Float64Array(Math.ceil(limit)).fill(Number.NEGATIVE_INFINITY);
  let oldest = 0;
  let slotMs = Number.NEGATIVE_INFINITY;

  return {
    delayMs(nowMs) {
      const byLogMs = (sentMs[oldest] ?? 0) + guardedMs;
      return Math.max(0, byLogMs - nowMs, spread ? slotMs - nowMs : 0);
    },
    take(nowMs) {
      slotMs = Math.max(slotMs, nowMs - creditMs) + intervalMs;
      sentMs[oldest] = nowMs;
      oldest = (oldest + 1) % sentMs.length;
    },
  };
}
