import { expect, test } from 'vitest';
import { LineCounter, parseDocument } from 'yaml';
import { resolveFields } from '../../../src/config/entities/resolve-fields.js';
import { ConfigProblems } from '../../../src/config/yaml/config-problems.js';
import { YamlPlaces } from '../../../src/config/yaml/yaml-place.js';

const WORTH = { amount: 'record.worth', currency: '"nok"' };
const CLEARED = { value: WORTH, when_empty: 'clear' };

test.each([
  ['alone', { value: WORTH }, { value: WORTH }],
  ['among others', { value: WORTH, heads: 'record.heads' }, { value: WORTH, heads: 'record.heads' }],
  ['next to a similar name', { value: WORTH, volume: 'record.volume' }, { value: WORTH, volume: 'record.volume' }],
  ['with rules of its own', { value: CLEARED }, { value: WORTH }],
  ['inside rules', { value: { value: WORTH }, apply: 'create' }, { value: WORTH }],
])('accepts a custom field with the name value: %s', (_name, input, fields) => {
  const text = '';
  const lines = new LineCounter();
  const report = new ConfigProblems(new YamlPlaces(parseDocument(text, { lineCounter: lines }), lines, text, 'c.yaml'));
  expect(resolveFields('projects', { custom_fields: input }, report).fields.custom_fields).toEqual(fields);
});
