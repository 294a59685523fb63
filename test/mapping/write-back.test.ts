import { expect, test } from 'vitest';
import { createWriteBackMapper } from '../../src/mapping/write-back.js';
import { buildConfig } from './sample.js';

test('a day is written back as the day that it is in the configured zone, any other moment in UTC', () => {
  const write_back = {
    hr: { day: 'timestamp("2026-11-20T23:00:00Z")', moment: 'timestamp("2026-11-20T23:30:00Z")' },
  };
  const hr = { write_back: { drop: './to-hr' } };
  const mapper = createWriteBackMapper(buildConfig({ hr, users: { write_back }, timezone: 'Europe/Oslo' }), 'users');
  expect(mapper.map({ id: 'u1', active: true, values: {}, people: [] })).toEqual([
    '2026-11-21',
    '2026-11-20T23:30:00.000Z',
  ]);
});
