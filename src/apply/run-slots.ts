/**
 * Runs `work` for the items from `next`, at most `slots` at a time, until `next` returns null. Started work is always
 * finished. After an error, no more items are taken, and the first error is thrown once all started work has finished.
 */
export async function runSlots<T>(
  slots: number,
  next: () => Promise<T | null>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  async function runSlot(): Promise<void> {
    while (errors.length === 0) {
      try {
        const item = await next();
        if (item === null) return;
        await work(item);
      } catch (error) {
        errors.push(error);
      }
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, slots) }, runSlot));
  if (errors.length > 0) throw errors[0];
}
