import { expect, test } from 'vitest';
import { compareWritten } from '../../../src/config/edited/compare-written.js';

const IN_FORCE = {
  service: { base_url: 'https://a.example.com' },
  state: './var',
  sources: {
    hr: { type: 'csv', drop: './hr', key: 'id', columns: { id: 'string' } },
    crm: { type: 'crm', base_url: 'https://crm', streams: { deals: { key: 'id', columns: { id: 'string' } } } },
  },
  users: { existence: 'hr', fields: { email: 'record.email' }, bulk_load: { missing: 'keep', from: 10 } },
};
const { sources, users } = IN_FORCE;

const ROWS: readonly (readonly [
  name: string,
  edited: unknown,
  allowed: readonly string[],
  refused: readonly string[],
])[] = [
  ['nothing', { ...IN_FORCE }, [], []],
  ['a field', { ...IN_FORCE, users: { ...users, fields: { email: 'x' } } }, ['users.fields.email'], []],
  ['a new guard', { ...IN_FORCE, guards: { users: { create: 'off' } } }, ['guards.users.create'], []],
  ['a new entity', { ...IN_FORCE, customers: { from: ['crm.deals'] } }, ['customers.from'], []],
  [
    'no people',
    { ...IN_FORCE, users: undefined },
    ['users.existence', 'users.fields.email'],
    ['users.bulk_load.from', 'users.bulk_load.missing'],
  ],
  [
    'another import',
    { ...IN_FORCE, users: { ...users, bulk_load: { missing: 'remove' } } },
    [],
    ['users.bulk_load.from', 'users.bulk_load.missing'],
  ],
  [
    'columns',
    { ...IN_FORCE, sources: { ...sources, hr: { ...sources.hr, columns: { id: 'int' } } } },
    ['sources.hr.columns'],
    [],
  ],
  [
    'columns of a stream',
    {
      ...IN_FORCE,
      sources: { ...sources, crm: { ...sources.crm, streams: { deals: { key: 'no', columns: { id: 'string' } } } } },
    },
    ['sources.crm.streams.deals.key'],
    [],
  ],
  ['a folder', { ...IN_FORCE, sources: { ...sources, hr: { ...sources.hr, drop: '/etc' } } }, [], ['sources.hr.drop']],
  [
    'a new source',
    { ...IN_FORCE, sources: { ...sources, x: { key: 'id', type: 'csv' } } },
    ['sources.x.key'],
    ['sources.x.type'],
  ],
  ['a new source without a part', { ...IN_FORCE, sources: { ...sources, x: {} } }, [], ['sources.x']],
  ['no source', { ...IN_FORCE, sources: [] }, [], ['sources']],
  ['a key with dots', { ...IN_FORCE, 'users.fields': 1 }, [], ['users.fields']],
  ['a key of all objects', { ...IN_FORCE, constructor: { state: 1 } }, [], ['constructor.state']],
  ['a value that is not a number', { ...IN_FORCE, state: Number.NaN }, [], ['state']],
  ['a set', { ...IN_FORCE, service: new Set() }, [], ['service']],
  ['a set below', { ...IN_FORCE, maps: { a: new Map() } }, ['maps.a'], []],
  ['a list', [IN_FORCE], [], ['the configuration']],
];

test.each(ROWS)('finds the edited paths: %s', (_, edited, allowed, refused) => {
  expect(compareWritten(IN_FORCE, edited)).toEqual({ allowed, refused });
});

test('never treats a set as equal, not even to one in the active configuration', () => {
  expect(compareWritten({ state: new Set() }, { state: new Set() }).refused).toEqual(['state']);
});
