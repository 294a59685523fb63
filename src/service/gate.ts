import PQueue from 'p-queue';
import type { Clock } from '../base/clock.js';
import { AdaptiveRate, type Permit } from './adaptive-rate.js';
import { type Bound, Pace } from './pace.js';

export interface Passage<T> {
  readonly permit: Permit;
  /** The result of `approach`. */
  readonly approached: T;
}

/**
 * Gives turns one by one in the order of requests. A call goes when every known bound and the adaptive rate allow it. No
 * call overtakes another, and at most one timer is running.
 */
export class Gate {
  readonly #clock: Clock;
  readonly #paces: readonly Pace[];
  readonly #adaptive = new AdaptiveRate();
  readonly #turns = new PQueue({ concurrency: 1 });
  #inFlight = 0;
  #wake: (() => void) | null = null;

  /**
   * @param isOneByOne the next call waits for the answer to the previous one, so that no call arrives late, together
   * with the next
   */
  constructor(
    bounds: readonly Bound[],
    clock: Clock,
    private readonly isOneByOne = false,
  ) {
    this.#clock = clock;
    this.#paces = bounds.map((bound) => new Pace(bound));
  }

  /**
   * Resolves when it is the caller's turn; the call then counts as sent.
   * @param approach runs within the turn, once this gate is open; it passes a second gate that must also be open
   */
  async pass<T>(signal: AbortSignal | undefined, approach: () => Promise<T>): Promise<Passage<T>> {
    return await this.#turns.add(async () => {
      await this.#waitUntilOpen(signal);
      const approached = await approach();
      // The call goes now, even if this gate opened earlier, because bounds count from the time of sending.
      const nowMs = this.#clock.now();
      for (const pace of this.#paces) pace.take(nowMs);
      this.#inFlight += 1;
      return { permit: this.#adaptive.take(nowMs), approached };
    });
  }

  /** Records that the call ended without a 429, even if it failed for another reason. */
  accept(permit: Permit): void {
    this.#adaptive.accept(permit, this.#clock.now());
  }

  refuse(permit: Permit, retryAfterMs: number | null): void {
    this.#adaptive.refuse(permit, this.#clock.now(), retryAfterMs);
  }

  /** Must be called once for each permit, whatever the outcome. */
  leave(): void {
    this.#inFlight -= 1;
    this.#wake?.();
    this.#wake = null;
  }

  /** The rate found by adapting, in calls per second; null until a 429 was seen. */
  get rate(): number | null {
    return this.#adaptive.rate;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#turns.size;
  }

  async #waitUntilOpen(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.isOneByOne && this.#inFlight > 0) {
        await this.#waitForAnswer();
        continue;
      }
      const nowMs = this.#clock.now();
      const delayMs = Math.max(this.#adaptive.delayMs(nowMs), ...this.#paces.map((pace) => pace.delayMs(nowMs)));
      if (delayMs > 0) await this.#clock.sleep(Math.ceil(delayMs), signal);
      else if (this.#adaptive.isProbing && this.#inFlight > 0) await this.#waitForAnswer();
      else return;
    }
  }

  /** Resolves when an open call is answered. There is at most one waiter, because turns are given one by one. */
  #waitForAnswer(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
