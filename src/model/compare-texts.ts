/** Orders texts by their code units, the same on every machine; for `sort`. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Orders names as people look for them: E2 before E10, ignoring case; for `sort`. */
export function createNaturalOrder(): (a: string, b: string) => number {
  const { compare } = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  return (a, b) => compare(a, b) || compareTexts(a, b);
}

export function sortNaturally<T>(items: readonly T[], nameOf: (item: T) => string): readonly T[] {
  const compare = createNaturalOrder();
  return items.toSorted((a, b) => compare(nameOf(a), nameOf(b)));
}
