const PAGE = 500;

/** All rows, read page by page: each page begins after the last row of the one before. */
function* eachPaged<Row, Key>(
  first: Key,
  keyOf: (row: Row) => Key,
  readPage: (after: Key, limit: number) => readonly Row[],
): Generator<Row, void> {
  for (let after = first; ; ) {
    const page = readPage(after, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = keyOf(last);
  }
}

export function eachByRow<Row extends { readonly row: number }>(
  readPage: (afterRow: number, limit: number) => readonly Row[],
): Iterable<Row> {
  return eachPaged(0, ({ row }) => row, readPage);
}

export function eachByKey<Row extends { readonly key: string }>(
  readPage: (afterKey: string, limit: number) => readonly Row[],
): Iterable<Row> {
  return eachPaged('', ({ key }) => key, readPage);
}

export function eachById(readPage: (afterId: string, limit: number) => readonly string[]): Iterable<string> {
  return eachPaged('', (id) => id, readPage);
}
