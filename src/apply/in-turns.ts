import type { Stores } from '../store/open-stores.js';

const TURN = 200;

/** Processes many items, and yields to other work in between, such as health checks and signals. */
export async function inTurns<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let done = 0;
  for (const item of items) {
    work(item);
    done += 1;
    if (done % TURN === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The number of items per transaction: enough to keep commits few, but not so many that other work is blocked for long. */
const TOGETHER = 50;

/** Like `inTurns`, but in transactions of many items, for items that write to the state. */
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
