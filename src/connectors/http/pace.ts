import type { Clock } from '../../base/clock.js';

/** Resolves when the next call may be sent to the host, at this distance from the previous call. */
export type HostPace = (host: string, distanceMs: number, signal?: AbortSignal) => Promise<void>;

/** Creates the pace of a state. All its streams, writers and retries share the distance for a host. */
export function createPace(clock: Clock): HostPace {
  const lanes = new Map<string, { freeAt: number; waiting: number }>();
  return async (host, distanceMs, signal) => {
    const now = clock.now();
    const lane = lanes.get(host) ?? { freeAt: now, waiting: 0 };
    lanes.set(host, lane);
    // If the clock was set back, a call waits only as long as the calls before it need.
    const waitMs = Math.min(Math.max(0, lane.freeAt - now), (lane.waiting + 1) * distanceMs);
    lane.freeAt = now + waitMs + distanceMs;
    if (waitMs === 0) return;
    lane.waiting++;
    try {
      await clock.sleep(waitMs, signal);
    } finally {
      lane.waiting--;
    }
  };
}
