/**
 * A sliding window that accepts at most `requests` in any period of `perSeconds`. A fixed window would accept twice as many
 * around its edge. A client tuned to that would be rejected elsewhere. Rejected requests do not count.
 */
export class RateWindow {
  readonly #accepted: Float64Array;
  readonly #windowMs: number;
  #next = 0;

  constructor(requests: number, perSeconds: number) {
    this.#accepted = new Float64Array(requests).fill(Number.NEGATIVE_INFINITY);
    this.#windowMs = perSeconds * 1000;
  }

  /** Counts a request. Returns undefined if it is accepted, otherwise the seconds to wait. */
  take(nowMs: number): number | undefined {
    const wait = this.wait(nowMs);
    if (wait > 0) return wait;
    this.#accepted[this.#next] = nowMs;
    this.#next = (this.#next + 1) % this.#accepted.length;
    return undefined;
  }

  /** Returns the seconds until another request would be accepted, rounded up; 0 if it would be accepted now. */
  wait(nowMs: number): number {
    // The ring contains the last accepted requests, and the next slot to overwrite is the oldest.
    const oldest = this.#accepted[this.#next] ?? Number.NEGATIVE_INFINITY;
    const waitMs = oldest + this.#windowMs - nowMs;
    return waitMs > 0 ? Math.max(1, Math.ceil(waitMs / 1000)) : 0;
  }
}
