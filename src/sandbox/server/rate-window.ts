/**
 * A sliding window: never more than `requests` accepted in any `perSeconds`. A fixed window would let twice as many
 * through at its edge, and a client tuned on it would be refused elsewhere. Refused requests take no place.
 */
export class RateWindow {
  readonly #accepted: Float64Array;
  readonly #windowMs: number;
  #next = 0;

  constructor(requests: number, perSeconds: number) {
    this.#accepted = new Float64Array(requests).fill(Number.NEGATIVE_INFINITY);
    this.#windowMs = perSeconds * 1000;
  }

  /** Undefined when accepted, else whole seconds until it is worth trying again. */
  take(nowMs: number): number | undefined {
    const wait = this.wait(nowMs);
    if (wait > 0) return wait;
    this.#accepted[this.#next] = nowMs;
    this.#next = (this.#next + 1) % this.#accepted.length;
    return undefined;
  }

  /** Whole seconds until one more would be accepted; 0 now. */
  wait(nowMs: number): number {
    // The ring holds the last accepted requests: the slot to overwrite is the oldest of them.
    const oldest = this.#accepted[this.#next] ?? Number.NEGATIVE_INFINITY;
    const waitMs = oldest + this.#windowMs - nowMs;
    return waitMs > 0 ? Math.max(1, Math.ceil(waitMs / 1000)) : 0;
  }
}
