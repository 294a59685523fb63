import PQueue from 'p-queue';
import type { Clock } from '../clock.js';
import { createAdaptiveRate, type Permit } from './adaptive-rate.js';
import { type Bound, createPace } from './pace.js';

/**
 * Turns, given one by one in the order of asking, so that nobody overtakes and one timer at most is running: a call goes
 * when every known bound and the adaptive rate allow it.
 */
export interface Gate {
  /**
   * Resolves when it is the caller's turn; the call counts as sent then.
   * @param approach is gone through within the turn, once this gate is open: another gate that has to open as well.
   */
  pass<T>(signal: AbortSignal | undefined, approach: () => Promise<T>): Promise<Passage<T>>;
  /** The call was answered, and not with 429. */
  accept(permit: Permit): void;
  refuse(permit: Permit, retryAfterMs: number | null): void;
  /** However it ended; once for each permit. */
  leave(): void;
  /** Calls a second found by adapting; null as long as no 429 was seen. */
  rate(): number | null;
  inFlight(): number;
  waiting(): number;
}

export interface Passage<T> {
  readonly permit: Permit;
  /** What the approach brought. */
  readonly approached: T;
}

export function createGate(bounds: readonly Bound[], clock: Clock): Gate {
  const paces = bounds.map(createPace);
  const adaptive = createAdaptiveRate();
  const turns = new PQueue({ concurrency: 1 });
  let inFlight = 0;
  let wake: (() => void) | null = null;

  /** Resolves when a call under way is answered. There is one waiter at most: turns are given one by one. */
  function waitForAnswer(): Promise<void> {
    return new Promise((resolve) => {
      wake = resolve;
    });
  }

  async function waitUntilOpen(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const nowMs = clock.now();
      const delayMs = paces.reduce((most, pace) => Math.max(most, pace.delayMs(nowMs)), adaptive.delayMs(nowMs));
      if (delayMs > 0) await clock.sleep(Math.ceil(delayMs), signal);
      else if (adaptive.isProbing() && inFlight > 0) await waitForAnswer();
      else return;
    }
  }

  return {
    async pass(signal, approach) {
      return await turns.add(async () => {
        await waitUntilOpen(signal);
        const approached = await approach();
        // The call goes now, whenever this gate opened: what counts for a bound is when it is sent.
        const nowMs = clock.now();
        for (const pace of paces) pace.take(nowMs);
        inFlight += 1;
        return { permit: adaptive.take(nowMs), approached };
      });
    },
    accept: (permit) => adaptive.accept(permit, clock.now()),
    refuse: (permit, retryAfterMs) => adaptive.refuse(permit, clock.now(), retryAfterMs),
    leave() {
      inFlight -= 1;
      wake?.();
      wake = null;
    },
    rate: () => adaptive.rate(),
    inFlight: () => inFlight,
    waiting: () => turns.size,
  };
}
