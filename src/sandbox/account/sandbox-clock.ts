import type { Clock } from '../../base/clock.js';

/** The account's time: the real one, moved by a constant that `--clock` and the control API set; it always runs on. */
export interface SandboxClock extends Clock {
  /** From here on it is `instantMs`, running. */
  set(instantMs: number): void;
}

export function buildSandboxClock(base: Clock, startMs: number | undefined): SandboxClock {
  let offsetMs = startMs === undefined ? 0 : startMs - base.now();
  return {
    now: () => base.now() + offsetMs,
    sleep: (ms, signal) => base.sleep(ms, signal),
    set: (instantMs) => {
      offsetMs = instantMs - base.now();
    },
  };
}
