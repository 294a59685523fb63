import { expect, test } from 'vitest';
import { readBacking, stretchOf } from '../../src/mapping/backing.js';

const OSLO = 'Europe/Oslo';

test.each([
  ['2026-06-01T00:00:00+02:00', '2026-06-01T23:59:59.999+02:00'],
  ['2026-03-29T00:00:00+01:00', '2026-03-29T23:59:59.999+02:00'],
  ['2026-10-25T00:00:00+02:00', '2026-10-25T23:59:59.999+01:00'],
  ['2026-06-01T12:00:00Z', '2026-06-01T12:00:00Z'],
  ['2026-06-01T00:00:00.500+02:00', '2026-06-01T00:00:00.500+02:00'],
])('treats %s as a time that lasts until %s', (from, to) => {
  const stretch = stretchOf(new Date(from), OSLO);
  expect(stretch).toEqual({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
});

test('keeps cells as JSON: days as ISO 8601, and long numbers as text', () => {
  const cells = { id: 'E1', small: 42n, long: 12345678901234567890n, day: new Date(0), list: [1n, 'a'] };
  const record = { key: 'E1', place: { source: 'hr', at: 'hr.csv', line: 2 }, cells };
  const backed = [{ stream: 'hr', columns: ['small', 'long', 'day', 'list', 'none'] }];
  expect(readBacking(backed, { hr: record }, null).records).toEqual({
    hr: {
      record: 'E1',
      cells: { small: 42, long: '12345678901234567890', day: '1970-01-01T00:00:00.000Z', list: [1, 'a'] },
    },
  });
});
