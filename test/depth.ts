/** Sweeps take part of their places in `npm test`, and all of them in `npm run test:all`. */
export const IS_THOROUGH = process.env.TALENT_THOROUGH === '1';

/** One place in so many, beginning with the one at `first`; all of them in a thorough run. */
export function oneIn<T>(apart: number, places: readonly T[], first = 0): readonly T[] {
  return IS_THOROUGH ? places : places.filter((_, index) => index % apart === first % apart);
}

/** So many tries of a property; a third of them in a quick run. */
export function tries(count: number): number {
  return IS_THOROUGH ? count : Math.ceil(count / 3);
}
