/** A bound that is known: so many calls in any span of so many milliseconds. */
export interface Bound {
  /** Calls allowed; may be a fraction (one in two seconds is 0.5 a second). */
  readonly limit: number;
  readonly windowMs: number;
  /** May be spent at once, instead of being spread over the window. */
  readonly burst?: boolean;
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

  /** How long until the next call may be sent; 0 for now. */
  delayMs(nowMs: number): number {
    const byLogMs = (this.#sentMs[this.#oldest] ?? 0) + this.#guardedMs;
    return Math.max(0, byLogMs - nowMs, this.#spread ? this.#slotMs - nowMs : 0);
  }

  /** A call is sent now. */
  take(nowMs: number): void {
    this.#slotMs = Math.max(this.#slotMs, nowMs - this.#creditMs) + this.#intervalMs;
    this.#sentMs[this.#oldest] = nowMs;
    this.#oldest = (this.#oldest + 1) % this.#sentMs.length;
  }
}
