/** The part of SOQL that integrations use: SELECT, FROM, WHERE, ORDER BY, LIMIT, OFFSET and COUNT(). */
export interface Soql {
  /** Null for COUNT(). */
  readonly fields: readonly string[] | null;
  readonly table: string;
  readonly where: Condition | null;
  readonly order: readonly { readonly field: string; readonly descending: boolean; readonly nullsLast: boolean }[];
  readonly limit: number | null;
  readonly offset: number;
}

export type Value = string | number | boolean | null;

export interface Literal {
  readonly kind: 'text' | 'number' | 'boolean' | 'null' | 'date';
  readonly value: Value;
}

export interface Comparison {
  readonly kind: 'compare';
  readonly field: string;
  readonly operator: string;
  readonly values: readonly Literal[];
}

export type Condition =
  | { readonly kind: 'and'; readonly parts: readonly Condition[] }
  | { readonly kind: 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | Comparison;

/** Reports the error in a query, in words. */
export class MalformedQuery extends Error {}

const TOKEN =
  /\s*(?:('(?:[^'\\]|\\.)*')|(\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2}))?)|(-?\d+(?:\.\d+)?)|([A-Za-z_][\w.]*)|(<=|>=|!=|<>|[=<>(),]))/y;

type Token = { readonly kind: 'text' | 'date' | 'number' | 'word' | 'sign'; readonly text: string };

const KINDS = ['text', 'date', 'number', 'word', 'sign'] as const;

function readTokens(query: string): Token[] {
  const tokens: Token[] = [];
  const source = query.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(source);
    if (match === null) throw new MalformedQuery(`unexpected token: ${source.slice(at, at + 20)}`);
    const kind = KINDS.find((_, index) => match[index + 1] !== undefined);
    if (kind !== undefined) tokens.push({ kind, text: match[KINDS.indexOf(kind) + 1] ?? '' });
  }
  return tokens;
}

export function parseSoql(query: string): Soql {
  const tokens = readTokens(query);
  let at = 0;

  function isWord(word: string): boolean {
    return tokens[at]?.text.toUpperCase() === word && tokens[at]?.kind !== 'text';
  }

  function accept(...words: string[]): boolean {
    const start = at;
    for (const word of words) {
      if (!isWord(word)) {
        at = start;
        return false;
      }
      at += 1;
    }
    return true;
  }

  function expect(word: string): void {
    if (!accept(word)) throw new MalformedQuery(`expecting ${word}, found '${tokens[at]?.text ?? '<EOF>'}'`);
  }

  function take(kind: Token['kind']): string {
    const token = tokens[at];
    if (token?.kind !== kind) throw new MalformedQuery(`expecting a ${kind}, found '${token?.text ?? '<EOF>'}'`);
    at += 1;
    return token.text;
  }

  function list<Item>(read: () => Item): Item[] {
    const items = [read()];
    while (accept(',')) items.push(read());
    return items;
  }

  /** AND and OR next to each other need parentheses. */
  function readCondition(): Condition {
    const parts = [readPart()];
    const word = isWord('OR') ? 'OR' : 'AND';
    while (accept(word)) parts.push(readPart());
    if (isWord('AND') || isWord('OR')) throw new MalformedQuery(`unexpected token: ${tokens[at]?.text}`);
    const [only] = parts;
    return only !== undefined && parts.length === 1
      ? only
      : word === 'OR'
        ? { kind: 'or', parts }
        : { kind: 'and', parts };
  }

  function readPart(): Condition {
    if (accept('NOT')) return { kind: 'not', part: readPart() };
    if (accept('(')) {
      const inner = readCondition();
      expect(')');
      return inner;
    }
    const field = take('word');
    if (accept('NOT', 'IN')) return { kind: 'compare', field, operator: 'NOT IN', values: readSet() };
    if (accept('IN')) return { kind: 'compare', field, operator: 'IN', values: readSet() };
    const operator = accept('LIKE') ? 'LIKE' : take('sign');
    if (!['LIKE', '=', '!=', '<>', '<', '<=', '>', '>='].includes(operator)) throw new MalformedQuery(operator);
    return { kind: 'compare', field, operator, values: [readLiteral()] };
  }

  function readSet(): Literal[] {
    expect('(');
    const values = list(readLiteral);
    expect(')');
    return values;
  }

  function readLiteral(): Literal {
    const token = tokens[at];
    at += 1;
    const word = token?.text.toUpperCase();
    if (token?.kind === 'text') return { kind: 'text', value: token.text.slice(1, -1).replace(/\\(.)/g, '$1') };
    if (token?.kind === 'number') return { kind: 'number', value: Number(token.text) };
    if (token?.kind === 'date') return { kind: 'date', value: token.text };
    if (word === 'NULL') return { kind: 'null', value: null };
    if (word === 'TRUE' || word === 'FALSE') return { kind: 'boolean', value: word === 'TRUE' };
    throw new MalformedQuery(`unexpected token: '${token?.text ?? '<EOF>'}'`);
  }

  function readOrder(): Soql['order'][number] {
    const field = take('word');
    const descending = accept('DESC') || !(accept('ASC') || true);
    const nullsLast = accept('NULLS', 'LAST');
    if (!nullsLast) accept('NULLS', 'FIRST');
    return { field, descending, nullsLast };
  }

  expect('SELECT');
  const fields = accept('COUNT', '(', ')') ? null : list(() => take('word'));
  expect('FROM');
  const table = take('word');
  const where = accept('WHERE') ? readCondition() : null;
  const order = accept('ORDER', 'BY') ? list(readOrder) : [];
  const limit = accept('LIMIT') ? Number(take('number')) : null;
  const offset = accept('OFFSET') ? Number(take('number')) : 0;
  if (at < tokens.length) throw new MalformedQuery(`unexpected token: '${tokens[at]?.text}'`);
  return { fields, table, where, order, limit, offset };
}

export function comparisons(condition: Condition | null): readonly Comparison[] {
  if (condition === null) return [];
  if (condition.kind === 'compare') return [condition];
  return condition.kind === 'not' ? comparisons(condition.part) : condition.parts.flatMap(comparisons);
}

/** All fields that the query names, by path. */
export function namedFields({ fields, where, order }: Soql): string[] {
  return [...(fields ?? []), ...comparisons(where).map(({ field }) => field), ...order.map(({ field }) => field)];
}

export function holds(condition: Condition, read: (field: string) => Value): boolean {
  if (condition.kind === 'and') return condition.parts.every((part) => holds(part, read));
  if (condition.kind === 'or') return condition.parts.some((part) => holds(part, read));
  if (condition.kind === 'not') return !holds(condition.part, read);
  const own = read(condition.field);
  const { operator, values } = condition;
  if (operator === 'IN') return values.some(({ value }) => compareValues(own, value) === 0);
  if (operator === 'NOT IN') return values.every(({ value }) => compareValues(own, value) !== 0);
  const other = values[0]?.value ?? null;
  if (operator === 'LIKE') return matchesPattern(String(own ?? ''), String(other));
  const order = compareValues(own, other);
  if (operator === '=') return order === 0;
  if (operator === '!=' || operator === '<>') return order !== 0;
  if (own === null || other === null) return false;
  return operator === '<' ? order < 0 : operator === '<=' ? order <= 0 : operator === '>' ? order > 0 : order >= 0;
}

function matchesPattern(text: string, pattern: string): boolean {
  const source = pattern
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('%', '.*')
    .replaceAll('_', '.');
  return new RegExp(`^${source}$`, 'is').test(text);
}

const DATE = /^\d{4}-\d{2}-\d{2}(T.*)?$/;

/** Compares text without regard to case, times by their moment, and null as less than any value. */
export function compareValues(own: Value, other: Value): number {
  if (own === null || other === null) return Number(own !== null) - Number(other !== null);
  if (typeof own === 'string' && typeof other === 'string') {
    if (DATE.test(own) && DATE.test(other)) return readTime(own) - readTime(other);
    const [a, b] = [own.toLowerCase(), other.toLowerCase()];
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return Number(own) - Number(other);
}

function readTime(text: string): number {
  return Date.parse(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
}
