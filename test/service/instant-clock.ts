import type { Clock } from '../../src/base/clock.js';

export interface InstantClock extends Clock {
  /** Every pause taken so far, milliseconds. */
  readonly pauses: readonly number[];
}

/** Time that stands still but for pauses, which are over at once: for work that waits for real sockets in between. */
export function createInstantClock(): InstantClock {
  let nowMs = 1_700_000_000_000;
  const pauses: number[] = [];
  return {
    pauses,
    now: () => nowMs,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      pauses.push(ms);
      nowMs += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
