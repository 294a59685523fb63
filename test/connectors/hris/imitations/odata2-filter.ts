/** The part of OData 2’s `$filter` that integrations use with SuccessFactors, and its `in`. */
export type Matches = (valuesOf: (path: string) => readonly (string | number | null)[]) => boolean;

export class BadFilter extends Error {}

const TOKEN = /\s*(\(|\)|,|datetimeoffset'[^']*'|datetime'[^']*'|'(?:[^']|'')*'|[\w/]+)/y;
const COMPARISONS: Readonly<Record<string, (own: string | number, other: string | number) => boolean>> = {
  eq: (own, other) => own === other,
  ne: (own, other) => own !== other,
  ge: (own, other) => own >= other,
  gt: (own, other) => own > other,
  le: (own, other) => own <= other,
  lt: (own, other) => own < other,
};

/** @returns the test, with the paths that the filter names */
export function compileFilter(text: string): { readonly matches: Matches; readonly paths: readonly string[] } {
  const tokens = tokenize(text);
  const paths: string[] = [];
  let at = 0;
  const take = (): string => tokens[at++] ?? fail('an end that is too early');
  const accept = (token: string): boolean => {
    if (tokens[at] !== token) return false;
    at++;
    return true;
  };

  function readAny(word: 'or' | 'and', readPart: () => Matches): Matches {
    const parts = [readPart()];
    while (accept(word)) parts.push(readPart());
    return (valuesOf) => (word === 'or' ? parts.some((part) => part(valuesOf)) : parts.every((part) => part(valuesOf)));
  }

  const readOr = (): Matches => readAny('or', () => readAny('and', readTest));

  function readTest(): Matches {
    if (accept('(')) {
      const inner = readOr();
      if (!accept(')')) fail(`${tokens[at]}`);
      return inner;
    }
    const path = take();
    paths.push(path);
    if (accept('in')) {
      const list = [readLiteral(take())];
      while (accept(',')) list.push(readLiteral(take()));
      return (valuesOf) => valuesOf(path).some((own) => own !== null && list.includes(own));
    }
    const compare = COMPARISONS[take()] ?? fail(`${tokens[at - 1]}`);
    const other = readLiteral(take());
    return (valuesOf) => valuesOf(path).some((own) => own !== null && compare(own, other));
  }

  const matches = readOr();
  if (at < tokens.length) fail(`${tokens[at]}`);
  return { matches, paths };
}

function tokenize(text: string): readonly string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const found = TOKEN.exec(text);
    tokens.push(found?.[1] ?? fail(text));
  }
  return tokens;
}

function readLiteral(token: string): string | number {
  const [, kind, inner = ''] = /^(datetimeoffset|datetime)?'(.*)'$/s.exec(token) ?? fail(token);
  if (kind === undefined) return inner.replaceAll("''", "'");
  // A datetimeoffset has a zone, a datetime has none.
  const isRight =
    kind === 'datetime' ? /^\d{4}-\d{2}-\d{2}(T[\d:]+)?$/.test(inner) : /^\d{4}-\d{2}-\d{2}T[\d:]+Z$/.test(inner);
  return isRight ? Date.parse(kind === 'datetime' && inner.includes('T') ? `${inner}Z` : inner) : fail(token);
}

function fail(token: string): never {
  throw new BadFilter(`Syntax error in $filter at ${token}`);
}
