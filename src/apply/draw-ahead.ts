import type { GroupCommit } from '../store/state/group-commit.js';

export interface Drawing<T> {
  readonly commits: Pick<GroupCommit, 'now' | 'soon'>;
  readonly slots: number;
  /** Returns the next item and writes its intent, within a transaction; null if no item is left or none may be started. */
  draw(): T | null;
  /** True if no item may be started any more, not even a drawn one. */
  isHalted(): boolean;
}

/**
 * Writes the intents of items to disk before a slot is free, so that slots do not wait for the disk. With several slots,
 * two items are drawn in advance for every slot except one, because all slots may become free together. With one slot,
 * at most one intent is open.
 */
export function createDrawAhead<T>({ commits, slots, draw, isHalted }: Drawing<T>) {
  const ready: T[] = [];
  /** The number of items drawn in transactions that are not on disk yet. */
  let drawing = 0;
  let waiting = 0;
  let isOver = false;

  function fill(): readonly T[] {
    const drawn: T[] = [];
    while (!isOver && ready.length + drawing < waiting + 2 * (slots - 1)) {
      const item = draw();
      isOver = item === null;
      if (item === null) break;
      drawn.push(item);
      drawing += 1;
    }
    return drawn;
  }

  function take(drawn: readonly T[]): void {
    drawing -= drawn.length;
    ready.push(...drawn);
  }

  return {
    /** The next item for a slot; null if there is none left to start. */
    async next(): Promise<T | null> {
      while (!isOver) {
        commits.soon(fill, take);
        if (ready.length > 0) break;
        waiting += 1;
        await commits
          .now(() => undefined)
          .finally(() => {
            waiting -= 1;
          });
        // Another slot may have taken the item in the meantime.
        if (ready.length > 0) break;
      }
      // The halt is checked only while items are left: a run that has finished everything was not stopped.
      if (ready.length === 0 || isHalted()) return null;
      return ready.shift() ?? null;
    },
    /** Items that were drawn and never started. */
    rest: (): readonly T[] => ready.splice(0),
  };
}
