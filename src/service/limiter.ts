import PQueue from 'p-queue';
import type { Clock } from '../clock.js';
import { createAdaptiveRate } from './adaptive-rate.js';
import { type Bound, createPace } from './pace.js';

export interface RateLimit {
  /** null: unknown. */
  readonly requestsPerSecond: number | null;
  readonly perMinute: number | null;
  /** Calls under way at the same time; null for the default of 8. */
  readonly concurrency: number | null;
}

export interface LimiterOptions {
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
  /** Tells a call that met the service's limit from any other failure; null when it did not. */
  readonly readLimited: (error: unknown) => { readonly retryAfterMs: number | null } | null;
}

export interface LimiterStats {
  /** Time calls spent waiting for their turn, summed. */
  readonly waitedMs: number;
  /** Calls answered 429. */
  readonly limited: number;
  /** The rate found by adapting; null as long as no 429 was seen. */
  readonly requestsPerSecond: number | null;
  readonly inFlight: number;
  readonly queued: number;
}

export interface Limiter {
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  stats(): LimiterStats;
}

const DEFAULT_CONCURRENCY = 8;

export function concurrencyOf(rateLimit: RateLimit): number {
  return rateLimit.concurrency ?? DEFAULT_CONCURRENCY;
}

/**
 * Lets a call through when it has a seat (concurrency) and its turn has come (every known bound, and the adaptive rate).
 * Turns are given one by one, in the order of asking, so that nobody overtakes and one timer at most is running.
 *
 * p-queue alone does not do: one of its queues has one limit, by its own clock, and knows no `Retry-After`.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { rateLimit, clock } = options;
  const bounds: Bound[] = [];
  if (rateLimit.requestsPerSecond !== null) bounds.push({ limit: rateLimit.requestsPerSecond, windowMs: 1_000 });
  if (rateLimit.perMinute !== null) bounds.push({ limit: rateLimit.perMinute, windowMs: 60_000 });
  const paces = bounds.map(createPace);
  const adaptive = createAdaptiveRate();
  const seats = new PQueue({ concurrency: concurrencyOf(rateLimit) });
  const turns = new PQueue({ concurrency: 1 });
  let inFlight = 0;
  let waitedMs = 0;
  let limited = 0;
  let wake: (() => void) | null = null;

  /** Resolves when a call under way is answered. There is one waiter at most: turns are given one by one. */
  function waitForAnswer(): Promise<void> {
    return new Promise((resolve) => {
      wake = resolve;
    });
  }

  async function takeTurn(signal: AbortSignal | undefined): Promise<ReturnType<typeof adaptive.take>> {
    for (;;) {
      signal?.throwIfAborted();
      const nowMs = clock.now();
      const delayMs = paces.reduce((most, pace) => Math.max(most, pace.delayMs(nowMs)), adaptive.delayMs(nowMs));
      if (delayMs > 0) {
        await clock.sleep(Math.ceil(delayMs), signal);
      } else if (adaptive.isProbing() && inFlight > 0) {
        await waitForAnswer();
      } else {
        for (const pace of paces) pace.take(nowMs);
        inFlight += 1;
        return adaptive.take(nowMs);
      }
    }
  }

  async function runSeated<T>(task: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const askedMs = clock.now();
    const permit = await turns.add(() => takeTurn(signal));
    waitedMs += clock.now() - askedMs;
    try {
      const value = await task();
      adaptive.accept(permit, clock.now());
      return value;
    } catch (error) {
      const refusal = options.readLimited(error);
      if (refusal === null) {
        adaptive.accept(permit, clock.now());
      } else {
        limited += 1;
        adaptive.refuse(permit, clock.now(), refusal.retryAfterMs);
      }
      throw error;
    } finally {
      inFlight -= 1;
      wake?.();
      wake = null;
    }
  }

  return {
    run: (task, signal) => seats.add(() => runSeated(task, signal), signal === undefined ? {} : { signal }),
    stats: () => ({ waitedMs, limited, requestsPerSecond: adaptive.rate(), inFlight, queued: seats.size + turns.size }),
  };
}
