/** A known bound: at most `limit` calls in any span of `windowMs` milliseconds. */
export interface Bound {
  /** Calls allowed; may be a fraction (one in two seconds is 0.5 per second). */
  readonly limit: number;
  readonly windowMs: number;
  /** True if the calls may go together, instead of being spread over the window. */
  readonly burst?: boolean;
}

/**
 * Keeps a known bound however the server counts. Fixed windows are a subset of sliding windows, so a bound on every
 * sliding window holds for both.
 *
 * Two rules work together. Calls are spread evenly, with a small credit that lets a late timer catch up. In addition,
 * the log of sent calls never shows more than the limit in one window. Windows are taken as slightly longer, because
 * the server counts arrivals and network delays vary. 2 % of a second leaves 20 ms for jitter; more than 250 ms brings
 * no benefit. This lowers the rate by less than 3 %.
 */
export class Pace {
  readonly #spread: boolean;
  readonly #guardedMs: number;
  readonly #intervalMs: number;
  readonly #creditMs: number;
  readonly #sentMs: Float64Array;
  #oldest = 0;
  #slotMs = Number.NEGATIVE_INFINITY;

  constructor({ limit, windowMs, burst = false }: Bound) {
    const scale = Math.max(1, 1 / limit);
    const window = windowMs * scale;
    this.#spread = !burst;
    this.#guardedMs = window + Math.min(window * 0.02, 250);
    this.#intervalMs = (this.#guardedMs * 1.002) / (limit * scale);
    this.#creditMs = window * 0.05;
    this.#sentMs = new Float64Array(Math.ceil(limit * scale)).fill(Number.NEGATIVE_INFINITY);
  }

  /** Milliseconds until the next call may be sent; 0 for now. */
  delayMs(nowMs: number): number {
    const byLogMs = (this.#sentMs[this.#oldest] ?? 0) + this.#guardedMs;
    return Math.max(0, byLogMs - nowMs, this.#spread ? this.#slotMs - nowMs : 0);
  }

  /** Records that a call is sent now. */
  take(nowMs: number): void {
    this.#slotMs = Math.max(this.#slotMs, nowMs - this.#creditMs) + this.#intervalMs;
    this.#sentMs[this.#oldest] = nowMs;
    this.#oldest = (this.#oldest + 1) % this.#sentMs.length;
  }
}
