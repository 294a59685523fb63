import type { World } from '../account/world.js';
import { RateWindow } from './rate-window.js';

/** One download per 2 seconds and at most 10 per minute (spec, Limits), by the account's clock. */
export function buildDownloadLimit(): World['downloads'] {
  let windows = buildWindows();
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    take: (nowMs) => {
      // If the clock was set back, the old windows would reject downloads until it has caught up.
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
