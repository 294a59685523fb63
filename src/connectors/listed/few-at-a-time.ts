/** The maximum number of calls at the same time. */
const MOST_CALLS = 4;

/** Runs `work` for each item, a few at a time, and yields the results in order. */
export async function* fewAtATime<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): AsyncIterable<readonly Result[]> {
  for (let from = 0; from < items.length; from += MOST_CALLS)
    yield await Promise.all(items.slice(from, from + MOST_CALLS).map(work));
}
