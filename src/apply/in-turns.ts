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
