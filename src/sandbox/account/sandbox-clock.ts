import type { Clock } from '../../base/clock.js';

/** The account's clock: real time plus an offset, which `--clock` and the control API set. It never stops. */
export interface SandboxClock extends Clock {
  /** Sets the current time. The clock continues from there. */
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
