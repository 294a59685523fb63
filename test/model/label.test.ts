import { expect, it } from 'vitest';
import { labelOf, nameSection } from '../../src/model/label.js';

it.each([
  ['users', { name: 'Kari', email: 'k@x.test' }, 'Kari <k@x.test>'],
  ['users', { name: null, email: 'k@x.test' }, 'k@x.test <k@x.test>'],
  ['users', { name: 'Kari', email: null }, 'Kari'],
  ['users', {}, 'id'],
  ['countries', { code: 'no' }, 'no'],
  ['offices', { name: 'Oslo', country: 'no' }, 'Oslo (no)'],
  ['tags', { external_unique_id: null, values: { en: '', no: 'Sky' } }, 'Sky'],
  ['tag_categories', { external_unique_id: 'unit', values: { en: 'Unit' } }, 'unit'],
  ['customers', { customer_name: {} }, 'id'],
  ['projects', { project_name: { en: 'Bridge' } }, 'Bridge'],
  ['proposals', { name: 'Bid' }, 'Bid'],
  ['staffing', { role: [] }, 'id'],
] as const)('for %s, labels %j as %s', (entity, values, label) => {
  expect(labelOf(entity, 'id', values)).toBe(label);
});

it.each([
  [{ level: { en: 'Fluent' }, name: { en: 'French' } }, 'French'],
  [{ long_description: { en: 'A long story' }, name: { en: 'Cloud' }, organiser: { en: 'ACME' } }, 'Cloud'],
  [{ long_description: { en: 'A long story' }, recommender: { en: 'Kari' } }, 'Kari'],
  [{ long_description: { en: 'A long story' }, name: {}, year: '2020' }, 'A long story'],
  [{ year: '2020' }, undefined],
])('names an entry of a CV with %j: %s', (values, name) => {
  expect(nameSection(values)).toBe(name);
});
