import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';

/** Gives code the time and pauses, so that tests can control both. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    // Node.js always rejects with its own error, not with the signal's reason.
    await setTimeout(ms, undefined, { signal }).catch(() => signal?.throwIfAborted());
  },
};

/** Many calls may wait for the same signal. More than ten listeners are not a leak, so Node's warning is turned off. */
export function expectMany(stop: AbortSignal): void {
  setMaxListeners(0, stop);
}

/**
 * Runs `work` with its own signal, which follows a longer-lived one. The listeners are removed when the work ends. In
 * Node.js 20, `AbortSignal.any` would leak fifty bytes per call for as long as the source signals exist.
 */
export async function followStop<T>(stop: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const own = new AbortController();
  const follow = (): void => own.abort(stop.reason);
  expectMany(own.signal);
  stop.addEventListener('abort', follow, { once: true });
  try {
    if (stop.aborted) follow();
    return await work(own.signal);
  } finally {
    stop.removeEventListener('abort', follow);
  }
}

/**
 * Yields to other work and to signals, which a long computation would otherwise block.
 *
 * @throws the signal's reason if it is aborted
 */
export async function breathe(signal: AbortSignal | undefined): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}

/**
 * Runs a long computation in steps, yields after each step, and returns its result.
 *
 * @throws the signal's reason if it is aborted
 */
export async function goInSteps<T>(steps: Iterable<unknown, T>, signal: AbortSignal | undefined): Promise<T> {
  const iterator = steps[Symbol.iterator]();
  try {
    for (;;) {
      const step = iterator.next();
      if (step.done === true) return step.value;
      await breathe(signal);
    }
  } catch (error) {
    iterator.return?.();
    throw error;
  }
}

/** Number of items to process between two pauses; small enough that nobody notices a delay. */
const TAKEN_BETWEEN_BREATHS = 200;

/** Iterates over the same items with pauses, so that a plan of 100,000 changes does not block other work. */
export async function* withBreaths<T>(items: AsyncIterable<T> | Iterable<T>): AsyncIterable<T> {
  let taken = 0;
  for await (const item of items) {
    yield item;
    taken += 1;
    if (taken % TAKEN_BETWEEN_BREATHS === 0) await breathe(undefined);
  }
}

/** How far a timer may be ahead of the clock before the clock counts as set back. */
const TIMER_SLACK_MS = 50;

/**
 * A clock that never goes back, so that setting back the machine's time does not make pauses and rate limits last
 * hours. It equals the given clock until the given clock goes back. Afterwards, it is ahead.
 */
export function keepSteady(clock: Clock): Clock {
  let aheadMs = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  function now(): number {
    const clockMs = clock.now();
    if (clockMs + aheadMs < lastMs) aheadMs = lastMs - clockMs;
    lastMs = clockMs + aheadMs;
    return lastMs;
  }
  return {
    now,
    async sleep(ms, signal) {
      const untilMs = now() + ms;
      await clock.sleep(ms, signal);
      // The full pause has passed, even if the clock shows less time.
      const missingMs = untilMs - now();
      if (missingMs > TIMER_SLACK_MS) aheadMs += missingMs;
    },
  };
}

/** ISO 8601 in UTC with milliseconds, as stored in state and audit. */
export function isoNow(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}
