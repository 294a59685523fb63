import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import { findRows } from '../../../src/connectors/formats/find-rows.js';
import { JsonScanner } from '../../../src/connectors/formats/json-scanner.js';
import type { Json } from '../../../src/model/json.js';

/** Returns the rows, or the message of the error. */
function scan(text: string, pointer: string, chunkBytes: number): readonly Json[] | string {
  const rows: Json[] = [];
  const bytes = Buffer.from(text);
  try {
    const scanner = new JsonScanner(pointer, 'a.json', (row) => rows.push(row));
    for (let from = 0; from < bytes.length; from += chunkBytes) scanner.write(bytes.subarray(from, from + chunkBytes));
    scanner.end();
    return rows;
  } catch (error) {
    if (error instanceof SyncError) return error.message;
    throw error;
  }
}

/** Returns the same from a parser that has the entire document. */
function parse(text: string, pointer: string): readonly Json[] | null {
  try {
    return findRows(JSON.parse(text) as Json, pointer, 'a.json');
  } catch {
    return null;
  }
}

const rowsOf = fc.array(fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>, { maxLength: 6 });
const around = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const document = fc.oneof(
  fc.tuple(rowsOf, around, around).map(([r, a, b]) => ['/results', { before: a, results: r, after: b }] as const),
  fc.tuple(rowsOf, around).map(([r, a]) => ['/a~1b/1', { x: a, 'a/b': [a, r, a] }] as const),
  rowsOf.map((r) => ['', r] as const),
  around.map((a) => ['/results/list', a] as const),
);

it('finds the same rows as a parser of the entire document, however the bytes are chunked', () => {
  let found = 0;
  fc.assert(
    fc.property(document, fc.nat(2), fc.integer({ min: 1, max: 40 }), ([pointer, value], indent, chunkBytes) => {
      const text = JSON.stringify(value, null, indent);
      const expected = parse(text, pointer);
      const rows = scan(text, pointer, chunkBytes);
      if (expected !== null) found++;
      if (expected === null) expect(rows).toBeTypeOf('string');
      else expect(rows).toEqual(expected);
    }),
  );
  expect(found).toBeGreaterThan(30);
});

it('accepts exactly what is JSON, even if it is truncated or one character is changed', () => {
  const damage = fc.record({
    at: fc.nat(),
    cut: fc.boolean(),
    remove: fc.nat(1),
    insert: fc.constantFrom(...'{}[]",:0x\\ ', ''),
  });
  let refused = 0;
  fc.assert(
    fc.property(document, damage, ([pointer, value], { at, cut, remove, insert }) => {
      const whole = JSON.stringify(value);
      const where = at % whole.length;
      const text = cut ? whole.slice(0, where) : whole.slice(0, where) + insert + whole.slice(where + remove);
      const expected = parse(text, pointer);
      const rows = scan(text, pointer, 7);
      if (expected === null) refused++;
      if (expected === null) expect(rows).toBeTypeOf('string');
      else expect(rows).toEqual(expected);
    }),
    { numRuns: 500 },
  );
  expect(refused).toBeGreaterThan(200);
});

it.each([
  ['', '', 'line 1, byte 1;'],
  ['/r', '{"r":[{"id":"secret"},\n{"id":tru}]}', 'line 2, byte 24;'],
  ['/r', '{"r":[1]} x', 'line 1, byte 11;'],
  ['/r', '{"r":[1],"r":[2]}', 'two lists of rows at "/r"'],
  ['/r', '{"r":7}', 'found a number'],
  ['/r/s', '{"r":"x"}', 'There is no "s" at /r'],
  ['/r/rows', '{"r":{"t":1,"row":[]}}', 'found: "t", "row". Nearest: "row"'],
  ['', '"'.padEnd(16 * 1024 * 1024 + 2, 'x'), 'found a text'],
  ['', '["'.padEnd(16 * 1024 * 1024 + 3, 'x'), 'line 1, byte 2;'],
  ['/r', '['.repeat(100_000), 'byte 501;'],
])('explains the error at the pointer %j without quoting the document', (pointer, text, said) => {
  const message = scan(text, pointer, 65_536);
  expect(message).toContain(said);
  expect(message).not.toContain('secret');
});
