/** A random generator that is good enough for generated people and gives the same numbers on every machine. */
export interface Random {
  /** Returns an integer from 0 to `below` - 1. */
  below(below: number): number;
  pick<T>(items: readonly T[]): T;
  /** Returns true in this percentage of calls. */
  chance(percent: number): boolean;
}

/**
 * mulberry32: a few lines instead of a dependency, and seedable, unlike `Math.random`. It uses integers only, so that every
 * engine gives the same results.
 *
 * @param seeds the company's seed, then the kind of record and its number, so that a person does not depend on earlier ones
 */
export function createRandom(...seeds: readonly number[]): Random {
  let state = 0;
  for (const seed of seeds) state = scatter((state + seed + 0x6d2b79f5) >>> 0);
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    return scatter(state);
  }
  const below = (limit: number): number => next() % limit;
  return {
    below,
    pick: (items) => at(items, below(items.length)),
    chance: (percent) => below(100) < percent,
  };
}

function scatter(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return (mixed ^ (mixed >>> 14)) >>> 0;
}

/** Returns the item at an index. After its end, the list repeats. */
export function at<T>(items: readonly T[], index: number): T {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('there is nothing to choose from');
  return item;
}
