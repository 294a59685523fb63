import PQueue from 'p-queue';
import { type Clock, expectMany, keepSteady } from '../base/clock.js';
import type { Permit } from './adaptive-rate.js';
import type { LimiterFamily } from './endpoint.js';
import { Gate } from './gate.js';
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

const DEFAULT_CONCURRENCY = 8;

/**
 * Downloads have a limit of their own, beside the account's (spec, Limits). Ten downloads may go as fast as one in two
 * seconds allows; only then does the minute count, hence `burst`.
 */
const DOWNLOAD_BOUNDS: readonly Bound[] = [
  { limit: 1, windowMs: 2_000 },
  { limit: 10, windowMs: 60_000, burst: true },
];

/** Seconds that so many downloads take under their limit, the first of them at once. */
export function forecastDownloads(calls: number): number {
  const [pace, quota] = DOWNLOAD_BOUNDS;
  if (calls < 1 || pace === undefined || quota === undefined) return 0;
  const before = calls - 1;
  return (Math.floor(before / quota.limit) * quota.windowMs + (before % quota.limit) * pace.windowMs) / 1000;
}

export function concurrencyOf(rateLimit: RateLimit): number {
  return rateLimit.concurrency ?? DEFAULT_CONCURRENCY;
}

/** The permits of one call, and its seat. */
interface Admission {
  /** It was answered, and not with 429. */
  accept(): void;
  /** A 429 of a call of a family is taken for its family's: the account's rate is not cut for it. */
  refuse(retryAfterMs: number | null): void;
  /** However it ended. */
  leave(): void;
}

/**
 * Lets a call through when it has a seat (concurrency) and its turn has come at the account's gate. A call of a family
 * with a limit of its own waits at that family's gate first, without a seat: a queue of downloads holds nobody else up.
 *
 * p-queue alone does not do: one of its queues has one limit, by its own clock, and knows no `Retry-After`.
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
    this.#families = new Map([['download', new Gate(DOWNLOAD_BOUNDS, this.#clock)]]);
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

  /** Takes a seat, then a turn at the account's gate; the seat is kept until it is left. */
  #enter(signal: AbortSignal | undefined): Promise<Admission> {
    const account = this.#account;
    return new Promise((resolve, reject) => {
      let gaveUp = false;
      const sit = async (): Promise<void> => {
        const askedMs = this.#clock.now();
        const { permit } = await account.pass(signal, async () => undefined);
        this.#waitedMs += this.#clock.now() - askedMs;
        // Stopped in the very moment that its turn came: nobody would leave.
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
   * The family's turn lasts until the call has passed the account's gate too: two that were let through apart could be
   * sent together else.
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
