/**
 * Runs `work` over the items with at most `slots` at a time. Before an item is started `stop` is asked about
 * it, and once it says yes nothing more is; what has been started is always finished. The first error thrown by `work` stops the taking and is thrown at the end.
 */
export async function runSlots<T>(
  items: Iterable<T>,
  slots: number,
  stop: (item: T) => boolean,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const errors: unknown[] = [];
  async function runSlot(): Promise<void> {
    while (errors.length === 0) {
      const next = iterator.next();
      if (next.done === true || stop(next.value)) return;
      try {
        await work(next.value);
      } catch (error) {
        errors.push(error);
      }
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, slots) }, runSlot));
  if (errors.length > 0) throw errors[0];
}
