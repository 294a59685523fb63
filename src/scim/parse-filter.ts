import { type FilterToken, invalidFilter, invalidPath, lexFilter } from './lex-filter.js';
import type { ScimError } from './scim-error.js';

export const COMPARISONS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type ComparisonOperator = (typeof COMPARISONS)[number];
export type FilterValue = string | number | boolean | null;

/** A filter as it is written; which attributes there are is asked when it is compiled. */
export type Filter =
  | { readonly op: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly op: 'not'; readonly part: Filter }
  | { readonly op: 'pr'; readonly path: string }
  | { readonly op: ComparisonOperator; readonly path: string; readonly value: FilterValue }
  /** `emails[type eq "work"]`, and `emails[type eq "work"].value eq "…"` with the rest asked of the same element. */
  | { readonly op: '[]'; readonly path: string; readonly inner: Filter; readonly also: Filter | null };

export interface PatchPath {
  readonly path: string;
  readonly filter: Filter | null;
  readonly sub: string | null;
}

/** Brackets within brackets, and comparisons in one filter: far above what clients send. */
const DEEPEST = 16;
const MOST_COMPARISONS = 64;

/**
 * The grammar of RFC 7644, figure 1; `and` binds closer than `or`, `not` closest.
 * Written out here because scim2-parse-filter drops the tie between a value path and its sub-attribute, reads texts that
 * end in a backslash and negative numbers as broken, and knows no limits; the tests compare the two where both are right.
 */
export function parseFilter(text: string): Filter {
  const reader = createReader(lexFilter(text, invalidFilter), invalidFilter);
  const filter = reader.readOr(0);
  reader.expect('end');
  return filter;
}

/** The target of a PATCH operation: `name.givenName`, `members[value eq "1"]`, `emails[type eq "work"].value`. */
export function parsePatchPath(text: string): PatchPath {
  const reader = createReader(lexFilter(text, invalidPath), invalidPath);
  const path = reader.expect('word').value;
  if (reader.isAt('end')) return { path, filter: null, sub: null };
  reader.expect('[');
  const filter = reader.readOr(1);
  reader.expect(']');
  const sub = reader.isAt('sub') ? reader.expect('sub').value : null;
  reader.expect('end');
  return { path, filter, sub };
}

function createReader(tokens: readonly FilterToken[], refuse: (detail: string) => ScimError) {
  let at = 0;
  let comparisons = 0;
  const END: FilterToken = { kind: 'end', value: '' };

  const peek = (): FilterToken => tokens[at] ?? END;
  const isAt = (kind: FilterToken['kind']): boolean => peek().kind === kind;
  const isWord = (word: string): boolean => isAt('word') && peek().value.toLowerCase() === word;
  function next(): FilterToken {
    const token = peek();
    at++;
    return token;
  }
  function expect(kind: FilterToken['kind']): FilterToken {
    const token = next();
    if (token.kind === kind) return token;
    throw refuse(`Expected ${nameKind(kind)} as part ${at} of the expression, found ${nameKind(token.kind)}.`);
  }

  function readOr(depth: number): Filter {
    return readRow('or', () => readRow('and', () => readTerm(depth)));
  }
  function readRow(op: 'and' | 'or', read: () => Filter): Filter {
    const first = read();
    if (!isWord(op)) return first;
    const parts = [first];
    while (isWord(op)) {
      next();
      parts.push(read());
    }
    return { op, parts };
  }
  function readTerm(depth: number): Filter {
    if (depth > DEEPEST) throw refuse(`The expression has more than ${DEEPEST} levels.`);
    if (isWord('not')) {
      next();
      return { op: 'not', part: readTerm(depth + 1) };
    }
    if (!isAt('(')) return readAttribute(depth);
    next();
    const inner = readOr(depth + 1);
    expect(')');
    return inner;
  }
  function readAttribute(depth: number): Filter {
    const path = expect('word').value;
    if (!isAt('[')) return readComparison(path);
    next();
    const inner = readOr(depth + 1);
    expect(']');
    return { op: '[]', path, inner, also: isAt('sub') ? readComparison(next().value) : null };
  }
  function readComparison(path: string): Filter {
    if (++comparisons > MOST_COMPARISONS) throw refuse(`The expression has more than ${MOST_COMPARISONS} comparisons.`);
    const word = expect('word').value.toLowerCase();
    if (word === 'pr') return { op: 'pr', path };
    const op = COMPARISONS.find((one) => one === word);
    if (op === undefined) throw refuse(`Expected pr or one of ${COMPARISONS.join(', ')} after an attribute.`);
    return { op, path, value: readValue() };
  }
  function readValue(): FilterValue {
    const { kind, value } = next();
    if (kind === 'text') return value;
    if (kind === 'number') return Number(value);
    const word = kind === 'word' ? value.toLowerCase() : '';
    if (word === 'true' || word === 'false') return word === 'true';
    if (word === 'null') return null;
    throw refuse('Expected a text in quotes, a number, true, false or null to compare with.');
  }
  return { readOr, expect, isAt };
}

function nameKind(kind: FilterToken['kind']): string {
  const names: Partial<Record<FilterToken['kind'], string>> = {
    word: 'a name',
    sub: 'a sub-attribute',
    text: 'a text',
    number: 'a number',
    end: 'the end',
  };
  return names[kind] ?? `"${kind}"`;
}
