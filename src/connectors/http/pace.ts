import type { Clock } from '../../base/clock.js';

/** Resolves when the next call that keeps this distance may be sent to the host. */
export type HostPace = (host: string, distanceMs: number, signal?: AbortSignal) => Promise<void>;

/** Made once per state: every stream, every writer and every new try keeps the same distance for the same host. */
export function createPace(clock: Clock): HostPace {
  const lanes = new Map<string, { freeAt: number; waiting: number }>();
  return async (host, distanceMs, signal) => {
    const now = clock.now();
    const lane = lanes.get(host) ?? { freeAt: now, waiting: 0 };
    lanes.set(host, lane);
    // A clock that was set back makes no call wait longer than those before it take.
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
