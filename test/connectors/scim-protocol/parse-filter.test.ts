import fc from 'fast-check';
import { parse } from 'scim2-parse-filter';
import { describe, expect, it } from 'vitest';
import { findFilterProblem } from '../../../src/connectors/scim/filter.js';
import { compileFilter } from '../../../src/connectors/scim-protocol/match-filter.js';
import { type Filter, parseFilter, parsePatchPath } from '../../../src/connectors/scim-protocol/parse-filter.js';
import { USERS } from '../../../src/connectors/scim-protocol/resource-type.js';
import { FILTERS_READ, FILTERS_REJECTED } from './filters.js';

const path = fc.constantFrom(
  'userName',
  'name.givenName',
  'urn:ietf:params:scim:schemas:core:2.0:User:title',
  'emails',
);
const comparison: fc.Arbitrary<string> = fc.oneof(
  path.map((name) => `${name} pr`),
  fc
    .tuple(
      path,
      fc.constantFrom('eq', 'NE', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'),
      fc.constantFrom('"a b"', '"a \\"or\\" b"', '7', 'true'),
    )
    .map((parts) => parts.join(' ')),
  fc.tuple(path, fc.constantFrom('eq', 'ne')).map(([name, op]) => `${name} ${op} null`),
);
const { filter } = fc.letrec<{ filter: string; term: string }>((tie) => ({
  term: fc.oneof(
    { depthSize: 'small' },
    comparison,
    tie('filter').map((inner) => `(${inner})`),
    tie('filter').map((inner) => `not (${inner})`),
    comparison.map((inner) => `emails[${inner}]`),
  ),
  filter: fc.oneof(
    { depthSize: 'small' },
    tie('term'),
    fc.tuple(tie('term'), fc.constantFrom('and', 'or', 'AND'), tie('filter')).map((parts) => parts.join(' ')),
  ),
}));

type Judged = ReturnType<typeof parse>;

/** Converts a filter into the form of scim2-parse-filter. */
function asJudged(parsed: Filter): unknown {
  switch (parsed.op) {
    case 'and':
    case 'or':
      return { op: parsed.op, filters: parsed.parts.map(asJudged) };
    case 'not':
      return { op: 'not', filter: asJudged(parsed.part) };
    case 'pr':
      return { op: 'pr', attrPath: parsed.path };
    case '[]':
      return { op: '[]', attrPath: parsed.path, valFilter: asJudged(parsed.inner) };
    default:
      return { op: parsed.op, attrPath: parsed.path, compValue: parsed.value };
  }
}

/** Flattens nested filters that have the same operator. */
function flatten(judged: unknown): unknown {
  const {
    op,
    filters,
    filter: inner,
    valFilter,
    ...rest
  } = judged as Judged & {
    filters?: unknown[];
    filter?: unknown;
    valFilter?: unknown;
  };
  if (filters !== undefined) {
    const parts = filters.map(flatten) as { op: string; filters?: unknown[] }[];
    return { op, filters: parts.flatMap((part) => (part.op === op ? (part.filters ?? []) : [part])) };
  }
  if (inner !== undefined) return { op, filter: flatten(inner) };
  return valFilter === undefined ? { op, ...rest } : { op, ...rest, valFilter: flatten(valFilter) };
}

describe('parseFilter', () => {
  it('reads filters like scim2-parse-filter', () => {
    fc.assert(
      fc.property(filter, (text) => {
        fc.pre(text.length < 1_000);
        expect(flatten(asJudged(parseFilter(text)))).toEqual(flatten(parse(text)));
      }),
    );
  });

  it('keeps a value path and its sub-attribute together', () => {
    expect(parseFilter('emails[type eq "work"].value eq "a"')).toEqual({
      op: '[]',
      path: 'emails',
      inner: { op: 'eq', path: 'type', value: 'work' },
      also: { op: 'eq', path: 'value', value: 'a' },
    });
  });

  it('reads strings as JSON strings', () => {
    const readValue = (text: string) => (parseFilter(`userName eq ${text}`) as Filter & { op: 'eq' }).value;
    expect(readValue('"DOMAIN\\\\jane"')).toBe('DOMAIN\\jane');
    expect(readValue('"ends with \\\\"')).toBe('ends with \\');
    expect(readValue('"\\u00e5\\t\\""')).toBe('å\t"');
    expect(readValue('-7')).toBe(-7);
  });
});

describe('filters of a configuration and of a client', () => {
  const receive = (text: string) => compileFilter(parseFilter(text), USERS);

  it.each(FILTERS_READ)('are accepted: %s', (text) => {
    expect(findFilterProblem(text)).toBeNull();
    expect(receive(text)).toBeTypeOf('function');
  });

  it.each(FILTERS_REJECTED)('are rejected with the same message: %j', (text) => {
    const problem = findFilterProblem(text);
    expect(problem).toMatch(/^[A-Z].*\.$/);
    expect(() => receive(text)).toThrow(expect.objectContaining({ scimType: 'invalidFilter', detail: problem }));
  });

  it('are limited to 64 comparisons only for a client', () => {
    const departments = Array.from({ length: 65 }, (_, n) => `title eq "${n}"`).join(' or ');
    expect(() => receive(departments)).toThrow('more than 64 comparisons');
    expect(findFilterProblem(departments)).toBeNull();
    expect(findFilterProblem(`title eq "${'a'.repeat(2_000)}"`)).toContain('at most 2000 are sent');
  });
});

describe('parsePatchPath', () => {
  it.each([
    ['name.givenName', { path: 'name.givenName', filter: null, sub: null }],
    ['members[value eq "1"]', { path: 'members', filter: { op: 'eq', path: 'value', value: '1' }, sub: null }],
    [
      'emails[primary eq true].value',
      { path: 'emails', filter: { op: 'eq', path: 'primary', value: true }, sub: 'value' },
    ],
  ])('parses %s', (text, parsed) => {
    expect(parsePatchPath(text)).toEqual(parsed);
  });
});
