import type { Clock } from '../../base/clock.js';
import type { ErrorCode, SyncError } from '../../base/errors.js';

const AWAY: ReadonlySet<ErrorCode> = new Set(['SYNC_SERVICE_DOWN', 'SYNC_SOURCE_DOWN']);

/** True if another system did not answer, so asking again soon is pointless. */
export function isAway({ code }: SyncError): boolean {
  return AWAY.has(code);
}

const FIRST_MS = 60_000;
const LONGEST_MS = 60 * 60_000;

/**
 * How long a tenant waits while its service or a source is down. The pause lasts one minute after the first failed run,
 * twice as long after each further one, and at most an hour. One run makes up for the slots missed in that time. The pause
 * does not affect a schedule with longer gaps.
 */
export class Pauses {
  readonly #clock: Clock;
  #inARow = 0;
  #untilMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Called after each run, with true if a system it needs was down. */
  note(isAway: boolean): void {
    this.#inARow = isAway ? this.#inARow + 1 : 0;
    const pauseMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (this.#inARow - 1));
    this.#untilMs = isAway ? this.#clock.now() + pauseMs : 0;
  }

  /** Takes over the count of failed runs from the daemon that performed the newest ones. */
  follow(inARow: number): void {
    this.#inARow = inARow;
  }

  inARow(): number {
    return this.#inARow;
  }

  /** Milliseconds since the epoch; 0 if there is no pause. */
  untilMs(): number {
    return this.#untilMs;
  }

  /** True during a pause. A clock that was set back does not extend the pause beyond its maximum. */
  isPausing(): boolean {
    const leftMs = this.#untilMs - this.#clock.now();
    return leftMs > 0 && leftMs <= LONGEST_MS;
  }
}
