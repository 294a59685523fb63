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

const TEXT = { type: 'string', optional: true, format: null, trueWords: null, separator: ';' } as const;

const readerOf = (empty?: readonly string[]) =>
  compileObjectReader({
    source: 'idp',
    key: 'id',
    columns: { id: { ...TEXT, optional: false, ...(empty === undefined ? {} : { empty }) }, name: TEXT },
    timezone: 'UTC',
  });

it.each(['E\u200b1', '\ufeffE1', 'E1\u2060', ' E\u00ad1 '])('%j is the key E1, and what was removed is noted', (id) => {
  const { record } = readerOf()({ id, name: 'Anna' }, place) as {
    record: { key: string; cells: object; noted: object };
  };
  expect(record).toMatchObject({ key: 'E1', cells: { id: 'E1' }, noted: [{ column: 'id', kind: 'hidden', text: id }] });
});

it.each(['NULL', 'None', 'n/a', '-'])('a row with the key %s has none', (id) => {
  expect(readerOf()({ id }, place)).toMatchObject({
    rejected: { key: null, code: 'SYNC_ROW_KEY', reason: expect.stringContaining(`has "${id}", a word for nothing`) },
  });
  expect(readerOf([])({ id }, place)).toMatchObject({ record: { key: id } });
});

it('a key that the column names as empty is none', () => {
  expect(readerOf(['x'])({ id: 'X' }, place)).toMatchObject({ rejected: { key: null, code: 'SYNC_ROW_KEY' } });
});
