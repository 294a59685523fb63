/** Compares texts by code unit, for `sort`. The order is the same on every machine. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Returns a comparison of names in natural order for `sort`: E2 before E10, ignoring case. */
export function createNaturalOrder(): (a: string, b: string) => number {
  const { compare } = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  return (a, b) => compare(a, b) || compareTexts(a, b);
}

export function sortNaturally<T>(items: readonly T[], nameOf: (item: T) => string): readonly T[] {
  const compare = createNaturalOrder();
  return items.toSorted((a, b) => compare(nameOf(a), nameOf(b)));
}
