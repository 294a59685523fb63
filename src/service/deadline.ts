/** Bounds a call by the caller's signal and by a time that may be started again. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Why it ended the call; null as long as it did not. */
  ended(): 'timed out' | 'stopped' | null;
  /** Gives the next part of the call the whole time again. */
  restart(): void;
  /** Lets time pass without counting: the reader of a file takes a break. */
  pause(): void;
  /** Ends the call from this side. */
  abort(): void;
  /** The call is over: nothing is watched any more. */
  release(): void;
}

export function createDeadline(timeoutMs: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let timedOut = false;
  const expire = (): void => {
    timedOut = true;
    controller.abort();
  };
  const abort = (): void => controller.abort();
  let timer = setTimeout(expire, timeoutMs);
  outer?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    ended() {
      if (timedOut) return 'timed out';
      return outer?.aborted ? 'stopped' : null;
    },
    restart() {
      clearTimeout(timer);
      timer = setTimeout(expire, timeoutMs);
    },
    pause: () => clearTimeout(timer),
    abort,
    release() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
    },
  };
}
