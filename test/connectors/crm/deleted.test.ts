import { expect, test } from 'vitest';
import { BadCell } from '../../../src/connectors/cells/cells.js';
import { compileDeleted } from '../../../src/connectors/listed/deleted.js';

const isDeleted = compileDeleted({ at: '/deleted_at', is: null, key: null }, { columns: {}, timezone: 'UTC' });

test.each([
  ['2026-01-31T08:00:00Z', true],
  ['true', true],
  [null, false],
  ['', false],
  ['NULL', false],
  ['n/a', false],
])('takes a record with the deletion time %j as deleted: %j', (deleted_at, expected) => {
  expect(isDeleted({ deleted_at }, null)).toBe(expected);
});

test.each(['0001-01-01T00:00:00Z', '1970-01-01T00:00:00Z', '1900-01-01', 'perhaps'])(
  'cannot decide by the deletion time %j',
  (deleted_at) => {
    expect(isDeleted({ deleted_at }, null)).toBeInstanceOf(BadCell);
  },
);
