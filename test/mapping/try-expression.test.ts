import { expect, it } from 'vitest';
import { tryExpression } from '../../src/mapping/try-expression.js';
import type { Cell } from '../../src/model/source.js';
import { columnOf } from './evaluate.js';

const columns = { id: columnOf('string'), s: columnOf('string?'), day: columnOf('date?') };
const row = (key: string, cells: Readonly<Record<string, Cell>>, line?: number) => ({
  ...{ key, cells: { id: key, ...cells } },
  place: { source: 'hr', at: '/drop/hr.csv', ...(line === undefined ? {} : { line }) },
});
const ROWS = [row('1', { s: 'Oslo', day: new Date('2026-11-19T23:00:00Z') }, 2), row('2', {}), row('3', { s: '' }, 4)];
const tried = (text: string, source = 'hr') =>
  tryExpression(text, ROWS, {
    ...{ source, columns, today: new Date('2026-11-19T23:00:00Z') },
    settings: { timezone: 'Europe/Oslo', maps: { cities: { oslo: 'no' } } },
  });

it('shows what an expression yields for each row, with its line', () => {
  expect(tried('lookup(maps.cities, record.?s.orValue(""))')).toEqual({
    type: 'optional<string>',
    rows: [
      { key: '1', line: 2, value: 'no', failed: null },
      { key: '2', line: null, value: null, failed: null },
      { key: '3', line: 4, value: null, failed: null },
    ],
    findings: [],
  });
  expect(tried('record.?day.orValue(today)').rows.map(({ value }) => value)).toEqual(Array(3).fill('2026-11-20'));
  expect(tried('hr.id').rows.map(({ value }) => value)).toEqual(['1', '2', '3']);
});

it('says why it fails, for one row or for all', () => {
  expect(tried('int(record.id + record.?s.orValue(""))').rows.map(({ value, failed }) => value ?? failed)).toEqual([
    expect.stringContaining('cannot convert to int'),
    ...[2, 3],
  ]);
  expect(tried('record.nothing')).toMatchObject({ type: null, rows: [], findings: [{ start: 0 }] });
  // A stream can be read only as `record`.
  expect(tried('crm.id', 'crm.deals').type).toBeNull();
});
