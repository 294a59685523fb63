import type { World } from '../account/world.js';
import { RateWindow } from './rate-window.js';

/** One download every 2 seconds and up to 10 per minute (spec, Limits), by the account's clock. */
export function buildDownloadLimit(): World['downloads'] {
  let windows = buildWindows();
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    take: (nowMs) => {
      // After a clock was set back, the windows would stay closed for that long.
      if (nowMs < lastMs) windows = buildWindows();
      lastMs = nowMs;
      const waits = windows.map((window) => window.wait(nowMs));
      const longest = Math.max(...waits);
      if (longest > 0) return longest;
      for (const window of windows) window.take(nowMs);
      return undefined;
    },
  };
}

function buildWindows(): readonly RateWindow[] {
  return [new RateWindow(1, 2), new RateWindow(10, 60)];
}
