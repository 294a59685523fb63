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

  /** Why it ended the call; null if it has not. */
  ended(): 'timed out' | 'stopped' | null {
    if (this.#timedOut) return 'timed out';
    return this.#outer?.aborted ? 'stopped' : null;
  }

  /** Gives the next part of the call the full timeout again. */
  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#expire, this.#timeoutMs);
  }

  /** Stops the timeout: the reader of a file takes a break. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** The call is over: stops the timeout and the listener. */
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
