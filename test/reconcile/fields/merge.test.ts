import { describe, expect, test } from 'vitest';
import { type MergeInput, mergeLeaf } from '../../../src/reconcile/fields/merge.js';
import { combine, readTable, speaksOf } from '../table.js';

const ROWS = readTable('reconcile/fields/merge.ts', 'export function mergeLeaf');
const WORDS = { says: ['value', 'empty'], shown: ['value', 'empty'] };

/** Every possible input: two empty values do not differ, and a source without a value has not moved. */
const INPUTS = combine({
  authority: ['source', 'service', 'newest'],
  source: ['value', 'empty', 'silent'],
  service: ['value', 'empty', 'hidden'],
  agreed: ['yes', 'no'],
  moved: ['source', 'service', 'both', 'neither'],
  newer: ['source', 'service', 'unknown'],
  drift: ['correct', 'report'],
  conflicts: ['owner', 'hold', 'source', 'service'],
}).filter(({ source, service, moved }) => {
  const isSame = source !== 'value' && service === 'empty';
  return !isSame && !(source === 'silent' && (moved === 'source' || moved === 'both'));
});

function toInput({ agreed, moved, newer, ...rest }: (typeof INPUTS)[number]): MergeInput {
  return {
    ...(rest as Pick<MergeInput, 'authority' | 'source' | 'service' | 'drift' | 'conflicts'>),
    agreed: agreed === 'yes',
    sourceMoved: moved === 'source' || moved === 'both',
    serviceMoved: moved === 'service' || moved === 'both',
    newer: newer === 'unknown' ? null : (newer as 'source' | 'service'),
  };
}

test('has its rows numbered in order', () => {
  expect(ROWS.map((row) => row.get('#'))).toEqual(ROWS.map((_, index) => String(index + 1)));
});

test('covers every combination with exactly one row', () => {
  const other = INPUTS.flatMap((input) => {
    const rows = ROWS.filter((row) => speaksOf(row, input, WORDS)).map((row) => row.get('#'));
    return rows.length === 1 ? [] : [{ ...input, rows }];
  });
  expect(other).toEqual([]);
});

describe('each row of the table above mergeLeaf', () => {
  test.each(ROWS.map((row) => [row.get('#'), row] as const))('decides row %s as written', (_, row) => {
    const inputs = INPUTS.filter((input) => speaksOf(row, input, WORDS));
    expect(inputs.length).toBeGreaterThan(0);
    const wrong = inputs.filter((input) => mergeLeaf(toInput(input)) !== row.get('→'));
    expect(wrong).toEqual([]);
  });
});
