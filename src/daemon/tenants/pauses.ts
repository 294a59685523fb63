import type { Clock } from '../../base/clock.js';
import type { ErrorCode, SyncError } from '../../base/errors.js';

const AWAY: ReadonlySet<ErrorCode> = new Set(['SYNC_SERVICE_DOWN', 'SYNC_SOURCE_DOWN']);

/** Whether another system did not answer: whoever asks it again soon waits for nothing once more. */
export function isAway({ code }: SyncError): boolean {
  return AWAY.has(code);
}

const FIRST_MS = 60_000;
const LONGEST_MS = 60 * 60_000;

/**
 * How long a tenant waits whose service or source is away: a minute after the first run that found it so, twice as long after
 * each further one, an hour at most. Slots in that time are made up for by one run. With a pause between slots that is longer,
 * nothing changes.
 */
export class Pauses {
  readonly #clock: Clock;
  #inARow = 0;
  #untilMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** After each run: whether what it needed was away. */
  note(isAway: boolean): void {
    this.#inARow = isAway ? this.#inARow + 1 : 0;
    const pauseMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (this.#inARow - 1));
    this.#untilMs = isAway ? this.#clock.now() + pauseMs : 0;
  }

  /** The newest runs were on another daemon, which counted those that found it away. */
  follow(inARow: number): void {
    this.#inARow = inARow;
  }

  inARow(): number {
    return this.#inARow;
  }

  /** Milliseconds since the epoch; 0 for no pause. */
  untilMs(): number {
    return this.#untilMs;
  }

  /** A clock that was set back does not make it longer than it can be. */
  isPausing(): boolean {
    const leftMs = this.#untilMs - this.#clock.now();
    return leftMs > 0 && leftMs <= LONGEST_MS;
  }
}
