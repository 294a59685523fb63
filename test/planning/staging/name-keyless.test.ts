import { expect, it } from 'vitest';
import type { Entity } from '../../../src/model/entity.js';
import type { Values } from '../../../src/model/json.js';
import type { RejectedRow } from '../../../src/model/source.js';
import { nameKeyless } from '../../../src/planning/staging/name-keyless.js';

const ROW: RejectedRow = {
  key: null,
  place: { source: 'hr', at: 'a.csv', line: 7 },
  code: 'SYNC_ROW_KEY',
  reason: 'hr a.csv:7: the key column "id" is empty.',
  remedy: 'Give the row its id in the source.',
  raw: [],
};

it.each<[Entity, Values | null, readonly string[], string | null, boolean]>([
  ['users', { name: 'Jane Doe', email: 'jane@example.com' }, [], 'Jane Doe <jane@example.com>', true],
  ['users', { email: 'jane@example.com' }, [], 'jane@example.com <jane@example.com>', true],
  ['users', { name: 'Jane Doe' }, [], 'Jane Doe', true],
  ['users', { upn: 'jane' }, [], null, true],
  // One word may name anyone, a value made from the key names nobody, and an invalid address says nothing.
  ['users', { name: 'Jane ' }, [], 'Jane ', false],
  ['users', { external_unique_id: 'hr-' }, [], null, false],
  ['users', { email: 'n/a' }, [], 'n/a <n/a>', false],
  ['users', {}, ['', 'svc@example.com', 'x'], 'svc@example.com', false],
  ['users', null, [], null, false],
  ['customers', { customer_name: { en: 'Fjord "Power"' } }, [], "Fjord 'Power'", true],
])('names a row of %s with %j: %s', (entity, values, raw, called, isNamed) => {
  const found = nameKeyless(entity, { ...ROW, raw }, values);
  expect([found.isNamed, found.row.reason]).toEqual([
    isNamed,
    called === null ? ROW.reason : `${ROW.reason} It is about "${called}".`,
  ]);
  expect(found.row.remedy).toContain(isNamed ? 'no record that it may be about' : 'this read proves no absence');
});
