import { test } from 'vitest';

/** Sweeps test some of their cases in `npm test`, and all cases in `npm run campaign` and `npm run test:all`. */
export const IS_THOROUGH = process.env.TALENT_THOROUGH === '1';

/** A quick run takes every nth case, where n is this number multiplied by the caller's `apart`. */
const SPARING = 4;
/** A quick run divides the tries of a property by this number. */
const TRIES = 10;

/**
 * Selects some of the cases, starting at index `first`. Takes every fourth case for `apart` 1, and every second for 1/2, which
 * is for rows that are separate rules. A thorough run takes all cases.
 */
export function oneIn<const T>(apart: number, places: readonly T[], first = 0): readonly T[] {
  return IS_THOROUGH ? places : places.filter((_, index) => index % (SPARING * apart) === first);
}

/** The seeds of stories that a thorough run plays for each vendor. */
export const SEEDS = Array.from({ length: 40 }, (_, seed) => seed + 1);

/** The number of tries for a property; a quick run makes a sixth of the tries. */
export function tries(count: number): number {
  return IS_THOROUGH ? count : Math.ceil(count / TRIES);
}

const leaveOut: typeof test = new Proxy(test, { apply: () => undefined, get: () => () => leaveOut });

/** Like `test` in a thorough run; a quick run leaves it out. CONTRIBUTING says which stories are sweeps. */
export const sweep: typeof test = IS_THOROUGH ? test : leaveOut;
