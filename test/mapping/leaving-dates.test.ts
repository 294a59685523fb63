import { expect, test } from 'vitest';
import type { Cell } from '../../src/model/source.js';
import { mapUser } from './sample.js';

type Cells = Readonly<Record<string, Cell>>;

const day = (text: string): Date => new Date(`${text}T00:00:00Z`);
const users = (when: string, more = {}) => ({ users: { leaver: { when, ...more } } });
const BY_DAY = 'has(record.d) && record.d < today';

test.each<[string, Cells]>([
  [BY_DAY, { d: day('1900-01-01') }],
  [BY_DAY, { d: day('1899-12-30') }],
  [BY_DAY, { d: day('1753-01-01') }],
  [BY_DAY, { d: day('1970-01-01') }],
  [BY_DAY, { d: day('1969-12-31') }],
  [`record.?s.orValue("") == "left" || (${BY_DAY})`, { d: day('1900-01-01'), s: 'active' }],
  ['has(record.at) && record.at < today', { at: new Date('1970-01-01T00:00:00Z') }],
  ['has(record.d)', { d: day('1900-01-01') }],
  ['record.?d.orValue(today) < today', { d: day('1900-01-01') }],
  ['record.?s.orValue("9999-12-31") < string(today)', { s: '1900-01-01' }],
  ['record.?s.orValue("") != "" && record.?s.orValue("") < string(today)', { s: '0001-01-01T00:00:00' }],
])('holds %s with %j', (when, cells) => {
  expect(mapUser(users(when), cells)).toMatchObject({ kind: 'held', hold: { code: 'SYNC_DATE_PLACEHOLDER' } });
  expect(mapUser(users(when, { placeholder_dates: 'allowed' }), cells)).toMatchObject({ desired: { leaver: true } });
});

test.each<[string, Cells, object]>([
  [BY_DAY, { d: day('2024-05-31') }, { leaver: true, left: { on: '2024-05-31', column: 'hr.d', begins: null } }],
  [BY_DAY, { d: day('2099-12-31') }, { leaver: false }],
  [BY_DAY, {}, { leaver: false }],
  // The status decides, whatever the date is.
  [`record.?s.orValue("") == "left" || (${BY_DAY})`, { d: day('1900-01-01'), s: 'left' }, { leaver: true }],
  // The configuration handles the placeholder itself.
  [`${BY_DAY} && record.?d.orValue(today).year() > 1900`, { d: day('1900-01-01') }, { leaver: false }],
])('evaluates %s with %j: %j', (when, cells, desired) => {
  expect(mapUser(users(when), cells)).toMatchObject({ kind: 'desired', desired });
});

test('reports the first day together with the last', () => {
  const input = { users: { leaver: { when: BY_DAY }, joiner: { start: 'record.?at' } } };
  const cells = { d: day('2020-05-31'), at: day('2024-01-01') };
  expect(mapUser(input, cells)).toMatchObject({ desired: { left: { on: '2020-05-31', begins: '2024-01-01' } } });
});

test('holds a placeholder date if being out of scope deactivates people', () => {
  const input = (out: string) => ({ users: { scope: '!has(record.d) || record.d >= today', out_of_scope: out } });
  expect(mapUser(input('deactivate'), { d: day('1900-01-01') })).toMatchObject({
    kind: 'held',
    hold: { code: 'SYNC_DATE_PLACEHOLDER' },
  });
  expect(mapUser(input('keep'), { d: day('1900-01-01') })).toMatchObject({ kind: 'out_of_scope' });
  expect(mapUser(input('deactivate'), { d: day('2024-05-31') })).toMatchObject({ kind: 'out_of_scope' });
});
