import type { Sqlite } from '../sqlite.js';

/**
 * How long work stays in memory if no caller waits for it. The answers of calls sent together arrive within this time.
 * The disk is free again before the answers of the next calls arrive.
 */
const GATHER_MS = 8;
/** Maximum number of work items in one transaction, so that other work gets its turn. */
const MOST_AT_ONCE = 50;

export interface CommitStats {
  /** Transactions that reached the disk. */
  readonly commits: number;
  /** Milliseconds spent writing transactions to disk, after their work was done. */
  readonly ms: number;
}

export type GroupCommit = ReturnType<typeof createGroupCommit>;

/** A work item with its callback. */
interface Queued {
  run(): void;
  /** @param fault why the transaction did not reach the disk; null if it did */
  end(fault: Thrown | null): void;
}

interface Thrown {
  readonly error: unknown;
}

/** Runs the callbacks in one transaction of the other database that they write to. */
type Together = (tell: () => void) => void;

/**
 * Commits the work of many callers in one transaction, in the order in which it was queued. Each item succeeds or fails
 * separately; a failure does not affect the others.
 *
 *     now ──→ at the end of this turn ──┐
 *                                       ├─→ one transaction → callbacks, one by one
 *     soon ─→ within 8 ms, or with it ──┘
 *
 * Work queued with `soon` is lost if the process ends. So it may only contain facts that can be found again, such as
 * the outcome of a call with an intent on disk.
 *
 * If the state has a copy elsewhere, `ship` sends each commit there before the commit ends. The next transaction does
 * not wait for that.
 */
export function createGroupCommit(
  sqlite: Sqlite,
  tellTogether: Together = (tell) => tell(),
  ship: (() => Promise<void>) | null = null,
) {
  const atomically = sqlite.transaction((work: () => void) => work());
  let queue: Queued[] = [];
  let turn: NodeJS.Immediate | null = null;
  let timer: NodeJS.Timeout | null = null;
  let lost: Thrown | null = null;
  let shipping: Promise<void> = Promise.resolve();
  let commits = 0;
  let ms = 0;

  let workedAt = 0;
  const together = sqlite.transaction((works: readonly Queued[]) => {
    for (const { run } of works) run();
    workedAt = performance.now();
  });

  function enqueue<T>(work: () => T, done: (value: T) => void, failed: (fault: Thrown) => void): void {
    let end: () => void = () => undefined;
    queue.push({
      run() {
        try {
          atomically(() => {
            const value = work();
            end = () => done(value);
          });
        } catch (error) {
          // A full disk rolls back the entire transaction, so later items would run outside it.
          if (!sqlite.inTransaction) throw error;
          end = () => failed({ error });
        }
      },
      end: (fault) => (fault === null ? end() : failed(fault)),
    });
  }

  function commit(works: readonly Queued[]): Thrown | null {
    try {
      together.immediate(works);
      commits += 1;
      ms += performance.now() - workedAt;
      return null;
    } catch (error) {
      return { error };
    }
  }

  function flush(): void {
    if (turn !== null) clearImmediate(turn);
    if (timer !== null) clearTimeout(timer);
    const works = queue.slice(0, MOST_AT_ONCE);
    queue = queue.slice(MOST_AT_ONCE);
    turn = queue.length > 0 ? setImmediate(flush) : null;
    timer = null;
    if (works.length === 0) return;
    const fault = commit(works);
    if (ship === null) {
      endAll(works, fault);
      return;
    }
    const toThrown = (error: unknown): Thrown => ({ error });
    const shipped = fault === null ? ship().then(() => null, toThrown) : fault;
    shipping = shipping.then(async () => endAll(works, await shipped));
  }

  function endAll(works: readonly Queued[], fault: Thrown | null): void {
    try {
      tellTogether(() => {
        for (const { end } of works) end(fault);
      });
    } catch (error) {
      lost ??= { error };
    }
  }

  function takeLost(): Thrown | null {
    const fault = lost;
    lost = null;
    return fault;
  }

  return {
    /** Resolves with the result of `work` once it and everything queued before it are on disk. */
    now<T>(work: () => T): Promise<T> {
      return new Promise((resolve, reject) => {
        const refuse = ({ error }: Thrown): void => reject(error);
        const before = takeLost();
        if (before !== null) return refuse(before);
        enqueue(
          work,
          (value) => {
            const fault = takeLost();
            return fault === null ? resolve(value) : refuse(fault);
          },
          refuse,
        );
        turn ??= setImmediate(flush);
      });
    },
    /**
     * Queues work that no caller waits for. `then` is called once it is on disk. If that fails, the next `now` throws
     * the error.
     */
    soon<T>(work: () => T, then: (value: T) => void = () => undefined): void {
      const note = (fault: Thrown): void => {
        lost ??= fault;
      };
      const tell = (value: T): void => {
        try {
          then(value);
        } catch (error) {
          note({ error });
        }
      };
      enqueue(work, tell, note);
      timer ??= setTimeout(flush, GATHER_MS);
    },
    /** Writes the queued work to disk before the file is closed. */
    close(): void {
      while (queue.length > 0) flush();
      if (timer !== null) clearTimeout(timer);
    },
    stats: (): CommitStats => ({ commits, ms }),
  };
}
