/** The number of items to handle before other work gets its turn. */
const AT_A_TIME = 100;

/** Handles items one by one, and yields at intervals so that other work gets its turn. */
export function* eachWithPauses<T>(items: Iterable<T>, take: (item: T) => void): Generator<void, void> {
  let taken = 0;
  for (const item of items) {
    take(item);
    taken += 1;
    if (taken % AT_A_TIME === 0) yield;
  }
  yield;
}
