import { expect, it } from 'vitest';
import { compileObjectReader } from '../../../src/connectors/rows/records.js';

const place = { source: 'hr', at: 'people.json', line: 3 };
const read = compileObjectReader({
  source: 'hr',
  key: 'id',
  columns: {
    hired: { type: 'date', optional: false, format: null, trueWords: null, separator: ';' },
    id: { type: 'int', optional: false, format: null, trueWords: null, separator: ';' },
  },
  timezone: 'UTC',
});

it.each([
  ['a key that is no number', { id: '12x', hired: '2026-01-31' }],
  ['a key with a NUL in it', { id: '12\u0000', hired: '2026-01-31' }],
  ['a bad key beside another bad cell', { id: '12x', hired: 'soon' }],
])('%s: the row is nobody’s, and says why', (_, row) => {
  expect(read(row, place)).toMatchObject({
    rejected: { key: null, place, code: 'SYNC_ROW_CELL', reason: expect.stringContaining('column "id"') },
  });
});

it('another bad cell leaves the key what it is', () => {
  expect(read({ id: 12, hired: 'soon' }, place)).toMatchObject({
    rejected: { key: '12', code: 'SYNC_ROW_CELL', reason: expect.stringContaining('column "hired"') },
  });
});
