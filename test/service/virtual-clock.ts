// This loads the sockets before the tests. Otherwise, the first call of the process would load them and take time.
import 'undici';
import type { Clock } from '../../src/base/clock.js';

export interface VirtualClock extends Clock {
  /** Runs the work, jumping from one pause to the next, and returns its result. */
  run<T>(work: Promise<T>): Promise<T>;
}

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** Work such as loading a module takes real time, up to seconds on a busy machine. */
const MOST_REAL_MS = 20_000;

/** Time passes only when everyone sleeps. `lateMs` makes timers fire late, like real ones. */
export function createVirtualClock(lateMs: () => number = () => 0): VirtualClock {
  let nowMs = 1_700_000_000_000;
  const sleepers: Sleeper[] = [];

  return {
    now: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
        sleepers.push({ atMs: nowMs + ms + lateMs(), wake: resolve });
      }),
    async run(work) {
      let done = false;
      const finish = (): void => {
        done = true;
      };
      work.then(finish, finish);
      const untilMs = performance.now() + MOST_REAL_MS;
      while (!done) {
        await new Promise((resolve) => setImmediate(resolve));
        if (done || (sleepers.length === 0 && performance.now() < untilMs)) continue;
        let next = 0;
        for (const [index, sleeper] of sleepers.entries()) {
          if (sleeper.atMs < (sleepers[next]?.atMs ?? 0)) next = index;
        }
        const [sleeper] = sleepers.splice(next, 1);
        if (sleeper === undefined) throw new Error('Everything waits and nobody sleeps.');
        nowMs = Math.max(nowMs, sleeper.atMs);
        sleeper.wake();
      }
      return work;
    },
  };
}
