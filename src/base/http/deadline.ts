/** Limits a call by the caller's signal and by a timeout that can be restarted. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  readonly #outer: AbortSignal | undefined;
  #timer: NodeJS.Timeout;
  #timedOut = false;

  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs;
    this.#outer = outer;
    this.#timer = setTimeout(this.#expire, timeoutMs);
    if (outer?.aborted === true) this.#abort();
    else outer?.addEventListener('abort', this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the call was ended; null if it was not. */
  ended(): 'timed out' | 'stopped' | null {
    if (this.#timedOut) return 'timed out';
    return this.#outer?.aborted ? 'stopped' : null;
  }

  /** Restarts the timeout for the next part of the call. */
  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#expire, this.#timeoutMs);
  }

  /** Stops the timeout while the reader of a file pauses. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Removes the timeout and the listener when the call is over. */
  release(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort();

  readonly #expire = (): void => {
    this.#timedOut = true;
    this.#abort();
  };
}
