import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';

/** Time as an input: everything that needs "now" or a pause takes one of these, so that tests own the time. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    // Node.js rejects with an error of its own, whatever the reason.
    await setTimeout(ms, undefined, { signal }).catch(() => signal?.throwIfAborted());
  },
};

/** One stop ends all that is under way, however many calls wait for it: more than ten listeners are no leak, as Node takes them for. */
export function expectMany(stop: AbortSignal): void {
  setMaxListeners(0, stop);
}

/**
 * Does work under a signal of its own, which follows a stop that outlives the work. What hangs onto the signal goes with it: Node.js 20
 * keeps fifty bytes of each `AbortSignal.any` for as long as the signals that it was made of are there.
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
 * Lets everything else have its turn, a stop above all: while a long computation goes on no signal is heard.
 *
 * @throws what the signal was aborted with
 */
export async function breathe(signal: AbortSignal | undefined): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}

/**
 * Goes through long work step by step, with a breath after each; answers what it came to.
 *
 * @throws what the signal was aborted with
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

/** Takes so little time that nobody notices to wait for it. */
const TAKEN_BETWEEN_BREATHS = 200;

/** The same items, with breaths between them: all that a plan of 100,000 changes has to tell is no reason to hear nothing else. */
export async function* withBreaths<T>(items: AsyncIterable<T> | Iterable<T>): AsyncIterable<T> {
  let taken = 0;
  for await (const item of items) {
    yield item;
    taken += 1;
    if (taken % TAKEN_BETWEEN_BREATHS === 0) await breathe(undefined);
  }
}

/** How much a timer may run ahead of the clock without the clock having been set back. */
const TIMER_SLACK_MS = 50;

/**
 * The same clock, which never goes back: for pauses and rates, which must not become hours long when somebody sets the
 * time of the machine back. Its time is the clock's own as long as nobody does that, and afterwards ahead of it.
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
      // The pause was slept, whatever the clock says.
      const missingMs = untilMs - now();
      if (missingMs > TIMER_SLACK_MS) aheadMs += missingMs;
    },
  };
}

/** ISO 8601 in UTC with milliseconds, as stored in state and audit. */
export function isoNow(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}
