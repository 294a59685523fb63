import { test } from 'vitest';

/** Sweeps take part of their places in `npm test`, and all of them in `npm run campaign` and `npm run test:all`. */
export const IS_THOROUGH = process.env.TALENT_THOROUGH === '1';

/** A quick run takes one place or try where a thorough one takes so many more than the caller says. */
const SPARING = 2;

/** One place in twice so many, beginning with the one at `first`; all of them in a thorough run. */
export function oneIn<const T>(apart: number, places: readonly T[], first = 0): readonly T[] {
  return IS_THOROUGH ? places : places.filter((_, index) => index % (SPARING * apart) === first);
}

/** So many tries of a property; a sixth of them in a quick run. */
export function tries(count: number): number {
  return IS_THOROUGH ? count : Math.ceil(count / (SPARING * 3));
}

const leaveOut: typeof test = new Proxy(test, { apply: () => undefined, get: () => () => leaveOut });

/** `test` in a thorough run. A quick run does not have such a story: CONTRIBUTING says which stories are sweeps. */
export const sweep: typeof test = IS_THOROUGH ? test : leaveOut;
