import type { Sqlite } from '../sqlite.js';

/**
 * How long what nobody waits for stays in memory: the answers of calls that went out together come in that time, and it is
 * over before those of the next calls, which then find nobody at the disk.
 */
const GATHER_MS = 8;
/** Of very many works so many go together, and other things have their turn before the next ones. */
const MOST_AT_ONCE = 50;

export interface CommitStats {
  /** Transactions that reached the disk. */
  readonly commits: number;
  /** Milliseconds that were spent bringing them there, once their work was done. */
  readonly ms: number;
}

export type GroupCommit = ReturnType<typeof createGroupCommit>;

/** A work, and what is called when it has ended. */
interface Queued {
  run(): void;
  /** @param fault what kept the transaction from the disk; null when it is there */
  end(fault: Thrown | null): void;
}

interface Thrown {
  readonly error: unknown;
}

/** Calls what is given, and what that writes elsewhere is written together as well. */
type Together = (tell: () => void) => void;

/**
 * Puts the works of many on disk in one transaction, in the order in which they were asked for: each by itself is done or
 * not done, and one that fails does not take the others with it.
 *
 *     now ──→ at the end of this turn ──┐
 *                                       ├─→ one transaction → told, one after the other
 *     soon ─→ within 8 ms, or with it ──┘
 *
 * What is gathered for `soon` is lost when the process dies, so only what can be found out again may be: the outcome of a
 * call whose intent is on disk.
 *
 * If the state has a copy elsewhere, `ship` brings each commit there before it ends. The next
 * transaction does not wait for that.
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
          // A full disk takes the whole transaction back: what followed would be on its own.
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
    /** Resolves with what `work` answered, once it and all that was asked for before is on disk. */
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
     * For what nobody waits for. `then` is called once it is on disk; an error is thrown by the next wait.
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
    /** Brings what is gathered to the disk before the file is closed. */
    close(): void {
      while (queue.length > 0) flush();
      if (timer !== null) clearTimeout(timer);
    },
    stats: (): CommitStats => ({ commits, ms }),
  };
}
