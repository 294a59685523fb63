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

/** A long list in parts. For single items, `for await` would take longer than most of the work on them. */
export type Batches<T> = AsyncIterable<readonly T[]>;

/** Number of items in a batch; small enough that nobody notices a delay. */
const AT_A_TIME = 200;

/** Splits a list into batches, and yields to other work after each one. */
export async function* inBatches<T>(items: Iterable<T>): Batches<T> {
  let batch: T[] = [];
  for (const item of items) {
    if (batch.push(item) < AT_A_TIME) continue;
    yield batch;
    batch = [];
    await breathe(undefined);
  }
  if (batch.length > 0) yield batch;
}

export async function* mapBatches<T, U>(batches: Batches<T>, map: (item: T) => U): Batches<U> {
  for await (const batch of batches) yield batch.map((item) => map(item));
}

export async function takeEach<T>(batches: Batches<T>, take: (item: T) => void): Promise<void> {
  for await (const batch of batches) for (const item of batch) take(item);
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
