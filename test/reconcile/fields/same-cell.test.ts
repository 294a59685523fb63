import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/model/json.js';
import { isNearCell, isSameCell } from '../../../src/reconcile/fields/same-cell.js';

type Row = readonly [shown: Json | undefined, told: Json | undefined, is: 'same' | 'near' | 'other'];

const ROWS: readonly Row[] = [
  [undefined, null, 'same'],
  [null, '', 'same'],
  [null, 'a', 'other'],
  [null, 'null', 'other'],
  ['a', undefined, 'other'],
  ['a', ' a ', 'same'],
  ['e\u0301', '\u00e9', 'same'],
  ['a', 'b', 'other'],
  // Other capitals, blanks and punctuation
  ['+47 22 33', '+472233', 'near'],
  ['Oslo', 'OSLO', 'near'],
  ['Ｏｓｌｏ', 'oslo', 'near'],
  ['a-1', 'a1', 'near'],
  ['a-1', 'a-2', 'other'],
  ['-', '+', 'other'],
  ['...', '...', 'same'],
  // Numbers
  [42, '42', 'same'],
  ['42.0', 42, 'same'],
  ['-1.50', -1.5, 'same'],
  ['0', 0, 'same'],
  ['1.5', '15', 'near'],
  ['007', 7, 'other'],
  ['+7', 7, 'near'],
  ['1e3', 1000, 'other'],
  ['a1', 'a1.0', 'other'],
  ['1 ', '1.0', 'same'],
  ['9007199254740991', '9007199254740991.0', 'same'],
  // A number would round these.
  ['9007199254740993', '9007199254740992', 'other'],
  // Days and their midnight
  ['2026-11-20', '2026-11-20T00:00:00.000Z', 'same'],
  ['2026-11-20', '2026-11-20T01:00:00+01:00', 'same'],
  ['2026-11-20', '2026-11-20T01:00:00+0100', 'same'],
  ['2026-11-19T23:00:00-01:00', '2026-11-20', 'same'],
  ['2026-11-20', '2026-11-21', 'other'],
  ['2026-13-40', '2026-13-40', 'same'],
  ['20 Nov 2026', '2026-11-20', 'other'],
  // Lists in any order, and objects
  [['b', 'a'], ['a', 'b'], 'same'],
  [['a', 'b'], ['a', 'c'], 'other'],
  [['a'], ['a', 'b'], 'other'],
  [{ x: '1', y: 2 }, { y: '2', x: 1 }, 'same'],
  [{ x: '1' }, { x: '2' }, 'other'],
];

describe('comparing a cell of the source with the value written to it', () => {
  test.each(ROWS)('compares %j with %j: %s', (shown, told, is) => {
    const found = [isSameCell(shown, told), isNearCell(shown, told)] as const;
    expect(found[0] ? 'same' : found[1] ? 'near' : 'other').toBe(is);
    expect([isSameCell(told, shown), isNearCell(told, shown)]).toEqual(found);
  });

  test('finds no empty value near', () => {
    for (const [a, b] of [
      [null, null],
      ['', undefined],
      ['a', null],
      [null, 'a'],
      ['-', '-'],
    ] as const)
      expect(isNearCell(a, b)).toBe(false);
  });
});
