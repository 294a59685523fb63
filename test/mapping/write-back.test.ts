import { expect, test } from 'vitest';
import { createWriteBackMapper } from '../../src/mapping/write-back.js';
import type { Values } from '../../src/model/json.js';
import { buildConfig } from './sample.js';

test('writes a day back as the day in the configured zone, and any other time in UTC', () => {
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

test('writes an empty value back as null', () => {
  const write_back = { hr: { l: 'user.roles', phone: 'user.name', s: 'user.telephone' } };
  const mapper = createWriteBackMapper(
    buildConfig({ hr: { write_back: { drop: './to-hr' } }, users: { write_back } }),
    'users',
  );
  const map = (values: Values) => mapper.map({ id: 'u1', active: true, values, people: [] });
  expect(map({})).toEqual([null, null, null]);
  expect(map({ telephone: '5', roles: ['consultant'], name: 'Jane' })).toEqual([['consultant'], 'Jane', '5']);
});
