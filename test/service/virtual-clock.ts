// The first call of a process loads its sockets: no time of these tests may pass over it.
import 'undici';
import type { Clock } from '../../src/base/clock.js';

export interface VirtualClock extends Clock {
  /** Runs what is asked, jumping from one pause to the next, and gives its result. */
  run<T>(work: Promise<T>): Promise<T>;
}

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** What is under way takes real time, such as the loading of a module: on a busy machine seconds. */
const MOST_REAL_MS = 20_000;

/** Time that passes only when everybody sleeps. `lateMs` makes every timer fire late, as real ones do. */
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
