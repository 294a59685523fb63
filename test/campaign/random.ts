/** Random choices that repeat for the same seed. */
export interface Random {
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** An integer from 0 up to, but not including, `end`. */
  below(end: number): number;
  /** @throws Error if the list is empty */
  pick<T>(list: readonly T[]): T;
  chance(probability: number): boolean;
}

/** Mulberry32: small, and good enough for choices. */
export function createRandom(seed: number): Random {
  // Consecutive seeds begin far apart.
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  const below = (end: number): number => Math.floor(next() * end);
  return {
    next,
    below,
    pick(list) {
      const picked = list[below(list.length)];
      if (picked === undefined) throw new Error('there is nothing to choose from');
      return picked;
    },
    chance: (probability) => next() < probability,
  };
}
