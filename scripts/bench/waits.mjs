// Finds the causes of an event loop's delays. Linux counts how long a thread ran, and how long it waited for a core. In the
// remaining time the thread was blocked by the disk, or by another thread that waited for a core, such as the garbage
// collector's thread.
import { openSync, readSync } from 'node:fs';
import { createHistogram } from 'node:perf_hooks';

const EVERY_MS = 5;
const NONE = { ms: 0, worked: 0, no_core: 0, blocked: 0 };

export function watchWaits() {
  const file = openSync('/proc/self/schedstat', 'r');
  const buffer = Buffer.alloc(128);
  const read = () => {
    const [worked, noCore] = buffer
      .toString('latin1', 0, readSync(file, buffer, 0, 128, 0))
      .split(' ')
      .map(Number);
    return { atMs: performance.now(), workedMs: worked / 1e6, noCoreMs: noCore / 1e6 };
  };
  const own = createHistogram();
  let [longest, longestOwn] = [NONE, NONE];
  let last = read();
  setInterval(() => {
    const now = read();
    const ms = Math.max(0, now.atMs - last.atMs - EVERY_MS);
    const [worked, noCore] = [now.workedMs - last.workedMs, Math.min(ms, now.noCoreMs - last.noCoreMs)];
    own.record(Math.max(1, Math.round((ms - noCore) * 1_000)));
    const wait = { ms, worked, no_core: noCore, blocked: Math.max(0, ms - worked - noCore) };
    if (ms > longest.ms) longest = wait;
    if (ms - noCore > longestOwn.ms - longestOwn.no_core) longestOwn = wait;
    last = now;
  }, EVERY_MS).unref();
  return {
    /** Milliseconds; `own` excludes the waits for a core. */
    read: () => ({ own_p999: own.percentile(99.9) / 1e3, longest_own: longestOwn, longest_wait: longest }),
    reset() {
      own.reset();
      [longest, longestOwn] = [NONE, NONE];
    },
  };
}
