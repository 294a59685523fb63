import { type Clock, keepSteady } from '../base/clock.js';
import type { ErrorCode } from '../base/errors.js';
import type { Endpoint, Repeat } from './endpoint.js';
import { concludeError, isOpen, ServiceError } from './service-error.js';

/** The answer would be as large again, the link the same. */
const NO_BETTER: ReadonlySet<ErrorCode> = new Set(['SYNC_SERVICE_TOO_LARGE', 'SYNC_SERVICE_LINK']);

export interface RetryOptions {
  readonly clock: Clock;
  /** Jitter, in [0, 1). */
  readonly random: () => number;
  readonly policy?: RetryPolicy;
}

export interface RetryPolicy {
  /** Tries of one call, the first included, when the world is at fault. */
  readonly attempts: number;
  /** How long one call waits at a limit, counted from its first 429; however many tries that takes. */
  readonly giveUpAfterMs: number;
  readonly firstPauseMs: number;
  readonly firstLimitedPauseMs: number;
  readonly longestPauseMs: number;
}

export const RETRY_POLICY: RetryPolicy = {
  attempts: 4,
  giveUpAfterMs: 900_000,
  firstPauseMs: 250,
  firstLimitedPauseMs: 1_000,
  longestPauseMs: 30_000,
};

export interface Retried<T> {
  readonly value: T;
  readonly attempts: number;
}

export interface Try {
  /** 1 for the first. */
  readonly number: number;
  /** An earlier try may have been carried out: a 404 on a repeated delete is then its success. */
  readonly doubtful: boolean;
}

export type Retry = <T>(
  operation: Pick<Endpoint, 'repeat'>,
  attempt: (turn: Try) => Promise<T>,
  signal?: AbortSignal,
) => Promise<Retried<T>>;

/**
 * | failure                        | reads, `idempotent` | `probe`, `hold`          |
 * |--------------------------------|---------------------|--------------------------|
 * | no connection (nothing sent)   | again               | again                    |
 * | 429 (nothing carried out)      | again               | again                    |
 * | answer lost, unreadable, 5xx   | again               | ends: outcome unknown    |
 * | other status, stopped, too large | ends              | ends                     |
 *
 * Faults are counted, limits are timed: a service that is busy answers 429 as often as it is asked, and that says nothing
 * about the call. A `Retry-After` that ends beyond the time ends the call at once: the next run is the better time.
 */
export function createRetry({ clock: time, random, policy = RETRY_POLICY }: RetryOptions): Retry {
  const clock = keepSteady(time);
  return async (operation, attempt, signal) => {
    const tally = new FailureTally({ clock, random, policy }, operation.repeat);
    let doubtful = false;
    for (let number = 1; ; number += 1) {
      try {
        return { value: await attempt({ number, doubtful }), attempts: number };
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        doubtful ||= error.outcome === 'unknown';
        const end = (): ServiceError => concludeError(error, operation.repeat, doubtful);
        const waitMs = tally.waitMs(error);
        if (waitMs === null) throw end();
        // Who stops during the pause learns of the failure that led to it, not of the stop.
        await clock.sleep(Math.ceil(waitMs), signal).catch(() => {
          throw end();
        });
      }
    }
  };
}

/** Counts what went wrong with one call. */
class FailureTally {
  readonly #options: Required<RetryOptions>;
  readonly #repeat: Repeat;
  #faults = 0;
  #limited = 0;
  #limitedSinceMs: number | null = null;

  constructor(options: Required<RetryOptions>, repeat: Repeat) {
    this.#options = options;
    this.#repeat = repeat;
  }

  /** How long to wait before the next try; null: there is none. */
  waitMs(error: ServiceError): number | null {
    if (!isRepeatable(error, this.#repeat)) return null;
    return error.status === 429 ? this.#afterLimit(error) : this.#afterFault();
  }

  #afterLimit({ retryAfterMs }: ServiceError): number | null {
    const { clock, policy } = this.#options;
    this.#limited += 1;
    this.#limitedSinceMs ??= clock.now();
    const leftMs = policy.giveUpAfterMs - (clock.now() - this.#limitedSinceMs);
    if (leftMs <= 0 || (retryAfterMs ?? 0) > leftMs) return null;
    return retryAfterMs || Math.min(leftMs, this.#pauseMs(policy.firstLimitedPauseMs, this.#limited));
  }

  #afterFault(): number | null {
    const { attempts, firstPauseMs } = this.#options.policy;
    this.#faults += 1;
    return this.#faults >= attempts ? null : this.#pauseMs(firstPauseMs, this.#faults);
  }

  /** Between half and all of the exponential pause, so that many callers do not come back at once. */
  #pauseMs(firstMs: number, count: number): number {
    const { policy, random } = this.#options;
    const wholeMs = Math.min(policy.longestPauseMs, firstMs * 2 ** (count - 1));
    return wholeMs * (0.5 + random() / 2);
  }
}

function isRepeatable(error: ServiceError, repeat: Repeat): boolean {
  if (error.status === 429 || error.fault === 'unsent') return true;
  if (NO_BETTER.has(error.code)) return false;
  const worldAtFault = error.fault === 'network' || error.fault === 'answer' || isOpen(error.status ?? 0);
  return repeat === 'idempotent' && worldAtFault;
}
