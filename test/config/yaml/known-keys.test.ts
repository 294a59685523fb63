import { expect, test } from 'vitest';
import { configSchema } from '../../../src/config/schema.js';
import { listKnownKeys } from '../../../src/config/yaml/known-keys.js';

test('the keys of a place are those of the form that is meant', () => {
  expect(listKnownKeys(configSchema, ['plan'], {})).toEqual(['expires']);
  const data = { sources: { idp: { type: 'scim' } } };
  expect(listKnownKeys(configSchema, ['sources', 'idp'], data)).toContain('page_size');
  expect(listKnownKeys(configSchema, ['sources', 'idp'], data)).not.toContain('drop');
  expect(listKnownKeys(configSchema, ['users', 'leaver', 'purge'], {})).toEqual(['after']);
  expect(listKnownKeys(configSchema, ['guards', 'users', 'deactivate'], {})).toEqual([
    ...['max', 'max_percent', 'percent', 'min', 'within'],
  ]);
});
