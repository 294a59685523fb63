import type { Stores } from '../store/open-stores.js';

const TURN = 200;

/** Processes very many items, and yields to other work in between: health checks, signals. */
export async function inTurns<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let done = 0;
  for (const item of items) {
    work(item);
    done += 1;
    if (done % TURN === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Items per transaction: few commits, and none that blocks other work for long. */
const TOGETHER = 50;

/** The same in transactions of many items, for items that write to the state. */
export async function inTransactions<T>(
  { transaction }: Stores['state'],
  items: Iterable<T>,
  work: (item: T) => void,
): Promise<void> {
  let batch: T[] = [];
  const flush = (): void => {
    transaction(() => batch.forEach(work));
    batch = [];
  };
  for (const item of items) {
    batch.push(item);
    if (batch.length < TOGETHER) continue;
    flush();
    await new Promise((resolve) => setImmediate(resolve));
  }
  flush();
}
