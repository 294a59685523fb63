import type { GroupCommit } from '../store/state/group-commit.js';

export interface Drawing<T> {
  readonly commits: Pick<GroupCommit, 'now' | 'soon'>;
  readonly slots: number;
  /** The next item, with its intent written: called within a transaction. null when there is none, or none may be begun. */
  draw(): T | null;
  /** Whether even what was drawn may not be started any more. */
  isHalted(): boolean;
}

/**
 * Items whose intents are on disk before a slot is free for them, so that a slot waits for no disk: two for each other
 * slot, since all slots may become free at once. With one slot there is no more than one intent open at a time.
 */
export function createDrawAhead<T>({ commits, slots, draw, isHalted }: Drawing<T>) {
  const ready: T[] = [];
  /** Drawn in a transaction that is not on disk yet. */
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
    /** The next item for a slot; null when there is none left to start. */
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
        // Another slot may have taken it meanwhile.
        if (ready.length > 0) break;
      }
      // Asked only of what there is: a run that has done all was not stopped.
      if (ready.length === 0 || isHalted()) return null;
      return ready.shift() ?? null;
    },
    /** What was drawn and never started. */
    rest: (): readonly T[] => ready.splice(0),
  };
}
