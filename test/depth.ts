/** `npm test` has to stay under a quarter of an hour: sweeps take part of their places there, and all of them with TALENT_THOROUGH=1. */
export const IS_THOROUGH = process.env.TALENT_THOROUGH === '1';

/** Every second place, beginning with the first or the second; all of them in a thorough run. */
export function everySecond<T>(places: readonly T[], first: 0 | 1): readonly T[] {
  return IS_THOROUGH ? places : places.filter((_, index) => index % 2 === first);
}

/** So many tries of a property; half of them in a quick run. */
export function tries(count: number): number {
  return IS_THOROUGH ? count : Math.ceil(count / 2);
}
