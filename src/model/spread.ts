/** The first, the last and a middle item: an error in a part of a list shows in one of them. */
export function spread<T>(all: readonly T[]): readonly T[] {
  return all.filter((_, at) => [0, all.length >> 1, all.length - 1].includes(at));
}
