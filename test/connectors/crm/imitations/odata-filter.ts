import type { Cell } from './dynamics-data.js';

/** Reports an error in the part of $filter that integrations use. */
export class MalformedFilter extends Error {}

export interface Filter {
  readonly names: readonly string[];
  matches(read: (name: string) => Cell): boolean;
}

type Test = (read: (name: string) => Cell) => boolean;

const TOKEN =
  /\s*(?:('(?:[^']|'')*')|([({]?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}[)}]?)|(\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?)|(-?\d+(?:\.\d+)?)|([A-Za-z_][\w./]*)|([(),]))/iy;

/** Each operator tests the order of the two values. */
const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
  gt: (order) => order > 0,
  ge: (order) => order >= 0,
  lt: (order) => order < 0,
  le: (order) => order <= 0,
};

const FUNCTIONS: Readonly<Record<string, (own: string, part: string) => boolean>> = {
  contains: (own, part) => own.includes(part),
  startswith: (own, part) => own.startsWith(part),
  endswith: (own, part) => own.endsWith(part),
};

export function parseFilter(text: string): Filter {
  const tokens: string[] = [];
  const source = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(source);
    if (match === null) throw new MalformedFilter(`Syntax error at position ${at} in '${text}'.`);
    tokens.push(match[0].trim());
  }
  const names: string[] = [];
  let at = 0;

  function take(): string {
    const token = tokens[at];
    if (token === undefined) throw new MalformedFilter(`Expression expected at the end of '${text}'.`);
    at += 1;
    return token;
  }

  function accept(token: string): boolean {
    if (tokens[at] !== token) return false;
    at += 1;
    return true;
  }

  function expect(token: string): void {
    if (!accept(token)) throw new MalformedFilter(`'${token}' expected in '${text}'.`);
  }

  function readOr(): Test {
    const tests = [readAnd()];
    while (accept('or')) tests.push(readAnd());
    return (read) => tests.some((test) => test(read));
  }

  function readAnd(): Test {
    const tests = [readPart()];
    while (accept('and')) tests.push(readPart());
    return (read) => tests.every((test) => test(read));
  }

  function readPart(): Test {
    if (accept('not')) {
      const inner = readPart();
      return (read) => !inner(read);
    }
    if (accept('(')) {
      const inner = readOr();
      expect(')');
      return inner;
    }
    const name = take();
    const ofText = FUNCTIONS[name];
    if (ofText !== undefined) return readFunction(ofText);
    names.push(name);
    const operator = take();
    const compare = COMPARISONS[operator];
    if (compare === undefined) throw new MalformedFilter(`'${operator}' is no operator in '${text}'.`);
    const value = readLiteral(take());
    // Null equals only null, and is neither less nor greater than any value.
    return (read) => {
      const own = read(name);
      if (own === null || value === null) return operator === 'ne' ? own !== value : operator === 'eq' && own === value;
      return compare(compareCells(own, value));
    };
  }

  function readFunction(test: (own: string, part: string) => boolean): Test {
    expect('(');
    const name = take();
    names.push(name);
    expect(',');
    const part = String(readLiteral(take())).toLowerCase();
    expect(')');
    return (read) => test(String(read(name) ?? '').toLowerCase(), part);
  }

  const test = readOr();
  if (at < tokens.length) throw new MalformedFilter(`Syntax error at '${tokens[at]}' in '${text}'.`);
  return { names, matches: test };
}

function readLiteral(token: string): Cell {
  if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
  if (token === 'null') return null;
  if (token === 'true' || token === 'false') return token === 'true';
  if (/^-?\d+(\.\d+)?$/.test(token)) return Number(token);
  if (/^[0-9a-f]/i.test(token)) return token;
  throw new MalformedFilter(`'${token}' is no value.`);
}

/** Compares text without regard to case, and times by their moment. */
export function compareCells(own: Cell, other: Cell): number {
  if (own === null || other === null) return Number(own !== null) - Number(other !== null);
  if (typeof own === 'string' && typeof other === 'string') {
    const isTime = /^\d{4}-\d{2}-\d{2}(T|$)/;
    if (isTime.test(own) && isTime.test(other)) return Date.parse(own) - Date.parse(other);
    const [a, b] = [own.toLowerCase(), other.toLowerCase()];
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return Number(own) - Number(other);
}
