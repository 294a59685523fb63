import { test } from 'vitest';

/** Sweeps take part of their places in `npm test`, and all of them in `npm run campaign` and `npm run test:all`. */
export const IS_THOROUGH = process.env.TALENT_THOROUGH === '1';

/** A quick run takes one place where a thorough one takes this many times what the caller says. */
const SPARING = 4;
/** A quick run makes one try of a property where a thorough one makes this many. */
const TRIES = 6;

/**
 * Part of the places: every fourth for `apart` 1, every second for 1/2, which is for rows that are each a rule of their own.
 * The first taken is the one at `first`. A thorough run takes all of them.
 */
export function oneIn<const T>(apart: number, places: readonly T[], first = 0): readonly T[] {
  return IS_THOROUGH ? places : places.filter((_, index) => index % (SPARING * apart) === first);
}

/** Seeds of stories that a thorough run plays of each vendor. */
export const SEEDS = Array.from({ length: 40 }, (_, seed) => seed + 1);

/** So many tries of a property; a sixth of them in a quick run. */
export function tries(count: number): number {
  return IS_THOROUGH ? count : Math.ceil(count / TRIES);
}

const leaveOut: typeof test = new Proxy(test, { apply: () => undefined, get: () => () => leaveOut });

/** `test` in a thorough run. A quick run does not have such a story: CONTRIBUTING says which stories are sweeps. */
export const sweep: typeof test = IS_THOROUGH ? test : leaveOut;
