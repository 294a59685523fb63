/** Returns the first, a middle and the last item, so that an error in one part of a list shows up. */
export function spread<T>(all: readonly T[]): readonly T[] {
  return all.filter((_, at) => [0, all.length >> 1, all.length - 1].includes(at));
}
