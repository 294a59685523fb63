import { type Clock, keepSteady } from '../base/clock.js';
import type { ErrorCode } from '../base/errors.js';
import type { Endpoint, Repeat } from './endpoint.js';
import { concludeError, isOpen, ServiceError } from './service-error.js';

/** Errors that a repeat would not change, because the answer would be as large again, or the link the same. */
const NO_BETTER: ReadonlySet<ErrorCode> = new Set(['SYNC_SERVICE_TOO_LARGE', 'SYNC_SERVICE_LINK']);

export interface RetryOptions {
  readonly clock: Clock;
  /** Jitter, in [0, 1). */
  readonly random: () => number;
  readonly policy?: RetryPolicy;
}

export interface RetryPolicy {
  /** Attempts per call, including the first, for failures of network or service. */
  readonly attempts: number;
  /** How long one call may be rate-limited, in milliseconds from its first 429, whatever the number of attempts. */
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
  /** 1 for the first attempt. */
  readonly number: number;
  /** True if an earlier attempt may have been carried out; then a 404 on a repeated delete means success. */
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
 * | 429 (not carried out)          | again               | again                    |
 * | answer lost, unreadable, 5xx   | again               | ends: outcome unknown    |
 * | other status, stopped, too large | ends              | ends                     |
 *
 * Failures are counted and rate limits are timed, because a busy service may answer 429 any number of times, whatever
 * the call. If `Retry-After` ends after the time limit, the call fails immediately, because the next run is a better
 * time.
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
        // A caller that stops during the pause gets the failure that led to the pause, not the error of the stop.
        await clock.sleep(Math.ceil(waitMs), signal).catch(() => {
          throw end();
        });
      }
    }
  };
}

/** Counts the failures of one call. */
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

  /** Milliseconds until the next attempt; null if there is none. */
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

  /** Between half and all of the exponential pause, so that many callers do not return at the same moment. */
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
