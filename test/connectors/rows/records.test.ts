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
  ['a key that is not a number', { id: '12x', hired: '2026-01-31' }],
  ['a NUL character in the key', { id: '12\u0000', hired: '2026-01-31' }],
  ['a bad key and another bad cell', { id: '12x', hired: 'soon' }],
])('rejects a row with %s under no key, and names the column', (_, row) => {
  expect(read(row, place)).toMatchObject({
    rejected: { key: null, place, code: 'SYNC_ROW_CELL', reason: expect.stringContaining('column "id"') },
  });
});

it('keeps the key of a row with another bad cell', () => {
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

it.each(['E\u200b1', '\ufeffE1', 'E1\u2060', ' E\u00ad1 '])(
  'reads %j as the key E1, and notes the removed characters',
  (id) => {
    const { record } = readerOf()({ id, name: 'Anna' }, place) as {
      record: { key: string; cells: object; noted: object };
    };
    expect(record).toMatchObject({
      key: 'E1',
      cells: { id: 'E1' },
      noted: [{ column: 'id', kind: 'hidden', text: id }],
    });
  },
);

it.each(['NULL', 'None', 'n/a', '-'])('takes the key %s as missing unless configured otherwise', (id) => {
  expect(readerOf()({ id }, place)).toMatchObject({
    rejected: { key: null, code: 'SYNC_ROW_KEY', reason: expect.stringContaining(`has "${id}", a word for nothing`) },
  });
  expect(readerOf([])({ id }, place)).toMatchObject({ record: { key: id } });
});

it('takes a key as missing if the column lists it as empty', () => {
  expect(readerOf(['x'])({ id: 'X' }, place)).toMatchObject({ rejected: { key: null, code: 'SYNC_ROW_KEY' } });
});
