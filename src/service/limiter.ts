import PQueue from 'p-queue';
import { type Clock, expectMany, keepSteady } from '../base/clock.js';
import type { Permit } from './adaptive-rate.js';
import type { LimiterFamily } from './endpoint.js';
import { Gate } from './gate.js';
import type { Bound } from './pace.js';

export interface RateLimit {
  /** null if the rate is unknown. */
  readonly requestsPerSecond: number | null;
  readonly perMinute: number | null;
  /** Maximum number of open calls; null for the default of 8. */
  readonly concurrency: number | null;
}

export interface LimiterOptions {
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
  /** Recognises an error caused by the service's rate limit; null for any other error. */
  readonly readLimited: (error: unknown) => { readonly retryAfterMs: number | null } | null;
}

export interface LimiterStats {
  /** Total time that calls waited for their turn. */
  readonly waitedMs: number;
  /** Number of calls answered 429. */
  readonly limited: number;
  /** The account's rate found by adapting; null until a 429 was seen. */
  readonly requestsPerSecond: number | null;
  readonly inFlight: number;
  readonly queued: number;
}

const DEFAULT_CONCURRENCY = 8;

/**
 * Downloads have their own limit, in addition to the account's (spec, Limits). Ten downloads may go as fast as one in
 * two seconds; only after that does the limit per minute matter, hence `burst`.
 */
const DOWNLOAD_BOUNDS: readonly Bound[] = [
  { limit: 1, windowMs: 2_000 },
  { limit: 10, windowMs: 60_000, burst: true },
];

/** Seconds that this number of downloads takes under their limit; the first one starts immediately. */
export function forecastDownloads(calls: number): number {
  const [pace, quota] = DOWNLOAD_BOUNDS;
  if (calls < 1 || pace === undefined || quota === undefined) return 0;
  const before = calls - 1;
  return (Math.floor(before / quota.limit) * quota.windowMs + (before % quota.limit) * pace.windowMs) / 1000;
}

export function concurrencyOf(rateLimit: RateLimit): number {
  return rateLimit.concurrency ?? DEFAULT_CONCURRENCY;
}

/** The permits of one call, and its place among the concurrent calls. */
interface Admission {
  /** The call ended without a 429, even if it failed for another reason. */
  accept(): void;
  /** A 429 for a family with its own limit counts only for that family: it does not lower the account's rate. */
  refuse(retryAfterMs: number | null): void;
  /** Called whatever the outcome. */
  leave(): void;
}

/**
 * Sends a call when it has a seat (concurrency) and its turn at the account's gate. A call of a family with its own limit
 * first waits at that family's gate, without a seat, so a queue of downloads does not delay other calls.
 *
 * p-queue alone is not enough: each of its queues has one limit, uses its own clock, and ignores `Retry-After`.
 */
export class Limiter {
  readonly #clock: Clock;
  readonly #readLimited: LimiterOptions['readLimited'];
  readonly #account: Gate;
  readonly #families: ReadonlyMap<LimiterFamily, Gate>;
  readonly #seats: PQueue;
  #waitedMs = 0;
  #limited = 0;

  constructor({ rateLimit, clock, readLimited }: LimiterOptions) {
    const { requestsPerSecond, perMinute } = rateLimit;
    const bounds: Bound[] = [];
    if (requestsPerSecond !== null) bounds.push({ limit: requestsPerSecond, windowMs: 1_000 });
    if (perMinute !== null) bounds.push({ limit: perMinute, windowMs: 60_000 });
    this.#clock = keepSteady(clock);
    this.#readLimited = readLimited;
    this.#account = new Gate(bounds, this.#clock);
    this.#families = new Map([['download', new Gate(DOWNLOAD_BOUNDS, this.#clock, true)]]);
    this.#seats = new PQueue({ concurrency: concurrencyOf(rateLimit) });
  }

  async run<T>(task: () => Promise<T>, signal?: AbortSignal, family: LimiterFamily = 'general'): Promise<T> {
    if (signal !== undefined) expectMany(signal);
    const gate = this.#families.get(family);
    const admission = gate === undefined ? await this.#enter(signal) : await this.#enterThrough(gate, signal);
    try {
      const value = await task();
      admission.accept();
      return value;
    } catch (error) {
      const refusal = this.#readLimited(error);
      if (refusal !== null) this.#limited += 1;
      if (refusal === null) admission.accept();
      else admission.refuse(refusal.retryAfterMs);
      throw error;
    } finally {
      admission.leave();
    }
  }

  stats(): LimiterStats {
    const account = this.#account;
    const atFamilies = [...this.#families.values()].reduce((sum, gate) => sum + gate.waiting, 0);
    return {
      waitedMs: this.#waitedMs,
      limited: this.#limited,
      requestsPerSecond: account.rate,
      inFlight: account.inFlight,
      queued: this.#seats.size + account.waiting + atFamilies,
    };
  }

  /** Takes a seat, then a turn at the account's gate; keeps the seat until `leave`. */
  #enter(signal: AbortSignal | undefined): Promise<Admission> {
    const account = this.#account;
    return new Promise((resolve, reject) => {
      let gaveUp = false;
      const sit = async (): Promise<void> => {
        const askedMs = this.#clock.now();
        const { permit } = await account.pass(signal, async () => undefined);
        this.#waitedMs += this.#clock.now() - askedMs;
        // The call was stopped at the moment its turn came; nobody else would leave the gate.
        if (gaveUp) account.leave();
        else await new Promise<void>((leave) => resolve(admit(account, permit, leave)));
      };
      this.#seats.add(sit, signal === undefined ? {} : { signal }).catch((error: unknown) => {
        gaveUp = true;
        reject(error);
      });
    });
  }

  /**
   * The family's turn lasts until the call has also passed the account's gate. Otherwise two calls that passed the
   * family's gate at different times could be sent together.
   */
  async #enterThrough(gate: Gate, signal: AbortSignal | undefined): Promise<Admission> {
    const askedMs = this.#clock.now();
    const { permit, approached } = await gate.pass(signal, () => {
      this.#waitedMs += this.#clock.now() - askedMs;
      return this.#enter(signal);
    });
    return {
      accept() {
        gate.accept(permit);
        approached.accept();
      },
      refuse: (retryAfterMs) => gate.refuse(permit, retryAfterMs),
      leave() {
        gate.leave();
        approached.leave();
      },
    };
  }
}

function admit(gate: Gate, permit: Permit, leaveSeat: () => void): Admission {
  return {
    accept: () => gate.accept(permit),
    refuse: (retryAfterMs) => gate.refuse(permit, retryAfterMs),
    leave() {
      gate.leave();
      leaveSeat();
    },
  };
}
