import { expect, test } from 'vitest';
import { configSchema } from '../../../src/config/schema.js';
import { listKnownKeys } from '../../../src/config/yaml/known-keys.js';

test('lists the keys of the form that is meant at a place', () => {
  expect(listKnownKeys(configSchema, ['plan'], {})).toEqual(['expires']);
  const data = { sources: { idp: { type: 'scim' } } };
  expect(listKnownKeys(configSchema, ['sources', 'idp'], data)).toContain('page_size');
  expect(listKnownKeys(configSchema, ['sources', 'idp'], data)).not.toContain('drop');
  expect(listKnownKeys(configSchema, ['users', 'leaver', 'purge'], {})).toEqual(['after']);
  expect(listKnownKeys(configSchema, ['guards', 'users', 'deactivate'], {})).toEqual([
    ...['max', 'max_percent', 'percent', 'min', 'within'],
  ]);
});
