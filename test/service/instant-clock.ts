import type { Clock } from '../../src/base/clock.js';

export interface InstantClock extends Clock {
  /** All pauses so far, in milliseconds. */
  readonly pauses: readonly number[];
}

/** A clock on which only pauses take time and end immediately. Use it for work that waits for real sockets. */
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
