import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTableReader } from '../../../src/writeback/reports/table-reader.js';

function read(text: string, isFirst: boolean, size = 1 << 16): { kept: string; header: string; rows: number } {
  const reader = createTableReader(isFirst);
  const bytes = Buffer.from(text);
  const kept: Uint8Array[] = [];
  for (let i = 0; i < bytes.length; i += size) kept.push(reader.take(bytes.subarray(i, i + size)).slice());
  return { kept: Buffer.concat(kept).toString(), ...reader.end() };
}

describe('a table in parts', () => {
  it.each([
    ['a,b\r\n1,2\r\n3,4\r\n', 'a,b', '1,2\r\n3,4\r\n', 2],
    ['a\n1', 'a', '1', 1],
    ['a\r\n\r\n1\r\n\r\n', 'a', '\r\n1\r\n\r\n', 1],
    ['"a\r\n""x"""\r\n"1\r\n2"\r\n', '"a\r\n""x"""', '"1\r\n2"\r\n', 1],
    ['a', 'a', '', 0],
    ['', '', '', 0],
  ])('reads %j', (text, header, rest, rows) => {
    expect(read(text, true)).toEqual({ kept: text, header, rows });
    expect(read(text, false)).toEqual({ kept: rest, header, rows });
  });

  it('is the same for any split of its bytes', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\r\n', '\n', 'ü', ' ') });
    const table = fc.array(fc.tuple(fc.constant('x'), cell, cell), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(table, fc.integer({ min: 1, max: 9 }), (records, size) => {
        const header = stringify(records.slice(0, 1), { record_delimiter: 'windows', quoted: true });
        const rest = stringify(records.slice(1), { record_delimiter: 'windows', quoted: true });
        const { kept, rows } = read(header + rest, false, size);
        expect([kept, rows]).toEqual([rest, records.length - 1]);
      }),
    );
  });
});
