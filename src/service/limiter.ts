import PQueue from 'p-queue';
import { type Clock, expectMany, keepSteady } from '../clock.js';
import type { Permit } from './adaptive-rate.js';
import type { LimiterFamily } from './endpoint.js';
import { createGate, type Gate } from './gate.js';
import type { Bound } from './pace.js';

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
  /** The account's rate found by adapting; null as long as no 429 was seen. */
  readonly requestsPerSecond: number | null;
  readonly inFlight: number;
  readonly queued: number;
}

export interface Limiter {
  run<T>(task: () => Promise<T>, signal?: AbortSignal, family?: LimiterFamily): Promise<T>;
  stats(): LimiterStats;
}

const DEFAULT_CONCURRENCY = 8;

/**
 * Families with a limit of their own, beside the account's (spec, Limits). Ten downloads may go as fast as one in two
 * seconds allows; only then does the minute count, hence `burst`.
 */
const FAMILY_BOUNDS: Readonly<Record<Exclude<LimiterFamily, 'general'>, readonly Bound[]>> = {
  download: [
    { limit: 1, windowMs: 2_000 },
    { limit: 10, windowMs: 60_000, burst: true },
  ],
};

export function concurrencyOf(rateLimit: RateLimit): number {
  return rateLimit.concurrency ?? DEFAULT_CONCURRENCY;
}

interface Admission {
  readonly permit: Permit;
  leave(): void;
}

/**
 * Lets a call through when it has a seat (concurrency) and its turn has come at the account's gate. A call of a family
 * with a limit of its own waits at that family's gate first, without a seat: a queue of downloads holds nobody else up.
 * A 429 of such a call is taken for its family's: the account's rate is not cut for it.
 *
 * p-queue alone does not do: one of its queues has one limit, by its own clock, and knows no `Retry-After`.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { rateLimit } = options;
  const clock = keepSteady(options.clock);
  const bounds: Bound[] = [];
  if (rateLimit.requestsPerSecond !== null) bounds.push({ limit: rateLimit.requestsPerSecond, windowMs: 1_000 });
  if (rateLimit.perMinute !== null) bounds.push({ limit: rateLimit.perMinute, windowMs: 60_000 });
  const account = createGate(bounds, clock);
  const families = new Map<LimiterFamily, Gate>(
    Object.entries(FAMILY_BOUNDS).map(([name, own]) => [name as LimiterFamily, createGate(own, clock)]),
  );
  const seats = new PQueue({ concurrency: concurrencyOf(rateLimit) });
  let waitedMs = 0;
  let limited = 0;

  /** Takes a seat, then a turn at the account's gate; the seat is kept until it is left. */
  function enter(signal: AbortSignal | undefined): Promise<Admission> {
    return new Promise((resolve, reject) => {
      let gaveUp = false;
      const sit = async (): Promise<void> => {
        const askedMs = clock.now();
        const { permit } = await account.pass(signal, async () => undefined);
        waitedMs += clock.now() - askedMs;
        // Stopped in the very moment that its turn came: nobody would leave.
        if (gaveUp) account.leave();
        else await new Promise<void>((leave) => resolve({ permit, leave }));
      };
      seats.add(sit, signal === undefined ? {} : { signal }).catch((error: unknown) => {
        gaveUp = true;
        reject(error);
      });
    });
  }

  /** @param gate the one that a 429 is about. */
  async function send<T>(task: () => Promise<T>, gate: Gate, permit: Permit): Promise<T> {
    try {
      const value = await task();
      gate.accept(permit);
      return value;
    } catch (error) {
      const refusal = options.readLimited(error);
      if (refusal === null) {
        gate.accept(permit);
      } else {
        limited += 1;
        gate.refuse(permit, refusal.retryAfterMs);
      }
      throw error;
    } finally {
      gate.leave();
    }
  }

  async function runAtAccount<T>(task: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const { permit, leave } = await enter(signal);
    try {
      return await send(task, account, permit);
    } finally {
      leave();
    }
  }

  /**
   * The family's turn lasts until the call has passed the account's gate too: two that were let through apart could be
   * sent together else.
   */
  async function runInFamily<T>(task: () => Promise<T>, signal: AbortSignal | undefined, gate: Gate): Promise<T> {
    const askedMs = clock.now();
    const { permit, approached } = await gate.pass(signal, () => {
      waitedMs += clock.now() - askedMs;
      return enter(signal);
    });
    try {
      const value = await send(task, gate, permit);
      account.accept(approached.permit);
      return value;
    } catch (error) {
      if (options.readLimited(error) === null) account.accept(approached.permit);
      throw error;
    } finally {
      account.leave();
      approached.leave();
    }
  }

  return {
    run(task, signal, family = 'general') {
      if (signal !== undefined) expectMany(signal);
      const gate = families.get(family);
      return gate === undefined ? runAtAccount(task, signal) : runInFamily(task, signal, gate);
    },
    stats: () => ({
      waitedMs,
      limited,
      requestsPerSecond: account.rate(),
      inFlight: account.inFlight(),
      queued: seats.size + account.waiting() + [...families.values()].reduce((sum, gate) => sum + gate.waiting(), 0),
    }),
  };
}
