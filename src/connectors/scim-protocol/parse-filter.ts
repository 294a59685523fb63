import { invalidFilter, invalidPath, type ScimError } from './scim-error.js';

const COMPARISONS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type ComparisonOperator = (typeof COMPARISONS)[number];
export type FilterValue = string | number | boolean | null;

/** A filter as written. Only its compilation checks that the attributes exist. */
export type Filter =
  | { readonly op: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly op: 'not'; readonly part: Filter }
  | { readonly op: 'pr'; readonly path: string }
  | { readonly op: ComparisonOperator; readonly path: string; readonly value: FilterValue }
  /**
   * `emails[type eq "work"]`, or `emails[type eq "work"].value eq "…"`, where the second condition applies to the same
   * element.
   */
  | { readonly op: '[]'; readonly path: string; readonly inner: Filter; readonly also: Filter | null };

export interface PatchPath {
  readonly path: string;
  readonly filter: Filter | null;
  readonly sub: string | null;
}

/** The maximum depth of brackets and the maximum number of comparisons in one filter. Clients send far fewer. */
const DEEPEST = 16;
const MOST_COMPARISONS = 64;

/**
 * Parses the grammar of RFC 7644, figure 1: `not` binds closest, then `and`, then `or`. Filters from clients and from
 * the configuration are parsed only here; docs/engineering/decisions/0016-one-filter-grammar.md explains why no package
 * is used.
 *
 * @param most maximum number of comparisons, because a client's filter is tested on every user
 */
export function parseFilter(text: string, most = MOST_COMPARISONS): Filter {
  const reader = new FilterReader(text, invalidFilter, most);
  const filter = reader.readOr(0);
  reader.expect('end');
  return filter;
}

/** Parses the target of a PATCH operation: `name.givenName`, `members[value eq "1"]`, `emails[type eq "work"].value`. */
export function parsePatchPath(text: string): PatchPath {
  const reader = new FilterReader(text, invalidPath);
  const path = reader.expect('word');
  if (reader.isAt('end')) return { path, filter: null, sub: null };
  const filter = reader.readInside('[', ']', 0);
  const sub = reader.isAt('sub') ? reader.expect('sub') : null;
  reader.expect('end');
  return { path, filter, sub };
}

class FilterReader {
  private readonly tokens: readonly FilterToken[];
  private at = 0;
  private comparisons = 0;
  private isInPath = false;

  constructor(
    text: string,
    private readonly refuse: (detail: string) => ScimError,
    private readonly most = MOST_COMPARISONS,
  ) {
    this.tokens = lexFilter(text, refuse);
  }

  isAt(kind: FilterToken['kind']): boolean {
    return this.tokens[this.at]?.kind === kind;
  }

  /** @returns the value of the next token */
  expect(kind: FilterToken['kind']): string {
    const token = this.next();
    if (token.kind === kind) return token.value;
    throw this.refuse(
      `Expected ${nameKind(kind)} as part ${this.at} of the expression, found ${nameKind(token.kind)}.`,
    );
  }

  readOr(depth: number): Filter {
    return this.readRow('or', () => this.readRow('and', () => this.readTerm(depth)));
  }

  private next(): FilterToken {
    return this.tokens[this.at++] ?? { kind: 'end', value: '' };
  }

  /** Consumes a word if it comes next. */
  private takeWord(word: string): boolean {
    const isThere = this.isAt('word') && this.tokens[this.at]?.value.toLowerCase() === word;
    if (isThere) this.at++;
    return isThere;
  }

  private readRow(op: 'and' | 'or', read: () => Filter): Filter {
    const first = read();
    const parts = [first];
    while (this.takeWord(op)) parts.push(read());
    return parts.length === 1 ? first : { op, parts };
  }

  private readTerm(depth: number): Filter {
    if (depth > DEEPEST) throw this.refuse(`The expression has more than ${DEEPEST} levels.`);
    if (this.takeWord('not')) return { op: 'not', part: this.readTerm(depth + 1) };
    return this.isAt('(') ? this.readInside('(', ')', depth) : this.readAttribute(depth);
  }

  readInside(open: '(' | '[', close: ')' | ']', depth: number): Filter {
    this.expect(open);
    const wasInPath = this.isInPath;
    this.isInPath ||= open === '[';
    if (wasInPath && open === '[') throw this.refuse('A value path cannot be inside another one.');
    const inner = this.readOr(depth + 1);
    this.isInPath = wasInPath;
    this.expect(close);
    return inner;
  }

  private readAttribute(depth: number): Filter {
    const path = this.expect('word');
    if (!this.isAt('[')) return this.readComparison(path);
    const inner = this.readInside('[', ']', depth);
    return { op: '[]', path, inner, also: this.isAt('sub') ? this.readComparison(this.expect('sub')) : null };
  }

  private readComparison(path: string): Filter {
    if (++this.comparisons > this.most) throw this.refuse(`The expression has more than ${this.most} comparisons.`);
    const word = this.expect('word').toLowerCase();
    if (word === 'pr') return { op: 'pr', path };
    const op = COMPARISONS.find((one) => one === word);
    if (op === undefined) throw this.refuse(`Expected pr or one of ${COMPARISONS.join(', ')} after an attribute.`);
    const value = this.readValue();
    if (value === null && op !== 'eq' && op !== 'ne') throw this.refuse('Only eq and ne can be used with null.');
    return { op, path, value };
  }

  private readValue(): FilterValue {
    const { kind, value } = this.next();
    if (kind === 'text') return value;
    if (kind === 'number') return Number(value);
    const word = kind === 'word' ? value.toLowerCase() : '';
    if (word === 'true' || word === 'false') return word === 'true';
    if (word === 'null') return null;
    throw this.refuse('Expected a text in quotes, a number, true, false or null to compare with.');
  }
}

const KINDS: Readonly<Partial<Record<FilterToken['kind'], string>>> = {
  word: 'a name',
  sub: 'a sub-attribute',
  text: 'a text',
  number: 'a number',
  end: 'the end',
};

function nameKind(kind: FilterToken['kind']): string {
  return KINDS[kind] ?? `"${kind}"`;
}

interface FilterToken {
  /** `sub`: a sub-attribute after a bracket, as in `emails[type eq "work"].value`. */
  readonly kind: 'word' | 'sub' | 'text' | 'number' | '(' | ')' | '[' | ']' | 'end';
  /** For a text, its content without quotes and escapes; for a sub-attribute, its name. */
  readonly value: string;
}

/** The maximum length of a filter. Longer filters are rejected unread. */
const LONGEST_FILTER = 4_096;

const PATTERN =
  /\s+|(?<bracket>[()[\]])|(?<text>"(?:[^"\\]|\\.)*")|(?<number>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![-\w.:$]))|(?<=\])\.(?<sub>[A-Za-z$][-\w$]*)|(?<word>[A-Za-z$][-\w$.:/%]*(?<![.:/%]))/y;

/** Splits a filter into tokens. Texts are JSON strings (RFC 7644, 3.4.2.2), so `"DOMAIN\\jane"` contains one backslash. */
function lexFilter(filter: string, refuse: (detail: string) => ScimError): readonly FilterToken[] {
  if (filter.length > LONGEST_FILTER) throw refuse(`The expression is longer than ${LONGEST_FILTER} characters.`);
  const tokens: FilterToken[] = [];
  PATTERN.lastIndex = 0;
  for (let at = 0; at < filter.length; at = PATTERN.lastIndex) {
    const found = PATTERN.exec(filter)?.groups;
    if (found === undefined) throw refuse(`The expression cannot be read at character ${at + 1}.`);
    const { bracket, text, number, sub, word } = found;
    if (bracket !== undefined) tokens.push({ kind: bracket as FilterToken['kind'], value: bracket });
    else if (text !== undefined) tokens.push({ kind: 'text', value: readText(text, at, refuse) });
    else if (number !== undefined) tokens.push({ kind: 'number', value: number });
    else if (sub !== undefined) tokens.push({ kind: 'sub', value: sub });
    else if (word !== undefined) tokens.push({ kind: 'word', value: word });
  }
  return [...tokens, { kind: 'end', value: '' }];
}

function readText(text: string, at: number, refuse: (detail: string) => ScimError): string {
  try {
    return String(JSON.parse(text));
  } catch {
    throw refuse(`The text from character ${at + 1} on is not a JSON text.`);
  }
}
