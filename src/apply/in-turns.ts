import type { Stores } from '../store/open-stores.js';

const TURN = 200;

/** Does something for each of very many items, and lets other work have its turn in between: health checks, signals. */
export async function inTurns<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let done = 0;
  for (const item of items) {
    work(item);
    done += 1;
    if (done % TURN === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Transactions of so many: few commits, and none that holds up the rest. */
const TOGETHER = 50;

/** The same in transactions of many items each, where each item writes something that must reach the disk. */
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
