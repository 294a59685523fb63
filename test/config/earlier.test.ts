import { expect, it } from 'vitest';
import type { Config } from '../../src/config/config.js';
import { describeDeciding } from '../../src/config/digest.js';
import { listEditedPaths, restoreConfig } from '../../src/config/earlier.js';
import type { JsonObject } from '../../src/model/json.js';
import { change, loadSample, SAMPLE } from './sample.js';

const paths = (edited: string): readonly string[] =>
  listEditedPaths(describeDeciding(loadSample()), describeDeciding(loadSample(edited)));

it.each([
  ['an expression', change('telephone: record.?phone', 'telephone: record.id'), ['users.fields.telephone']],
  ['one language', change('{ en: idp.?title }', '{ en: record.dept }'), ['users.fields.title.en']],
  [
    'a rule',
    change('telephone: record.?phone', 'telephone: { value: record.?phone, apply: create }'),
    ['users.fields.telephone'],
  ],
  ['the scope', change('record.dept != "x"', 'record.dept != "y"'), ['users.scope']],
  [
    'a number of the leaver rule, under its written name',
    change('leaver: { when: record.?left.orValue(false) }', 'leaver: { when: record.?left.orValue(false), grace: 2d }'),
    ['users.leaver.grace'],
  ],
  ['a column', change('name: string', 'name: int'), ['sources.hr.columns.name.type']],
  ['the policy', change('policy: sync', 'policy: create-only'), ['policy']],
  ['nothing', SAMPLE, []],
  ['a new part, by its root', `${SAMPLE}tags: { create_missing: true }\n`, ['tags.create_missing']],
])('names the paths in which two configurations differ: %s', (_what, edited, expected) => {
  expect(paths(edited)).toEqual(expected);
});

it('restores the earlier mapping with the current folders and secrets', () => {
  const then = loadSample(change('name: string', 'name: int'));
  const now = loadSample(change('./drop', './elsewhere', change('telephone: record.?phone', 'telephone: record.id')));
  const restored = restoreConfig(now, JSON.parse(JSON.stringify(describeDeciding(then))) as JsonObject, then.digest);
  expect(restored.digest).toBe(then.digest);
  expect(describeDeciding(restored)).toEqual(describeDeciding(then));
  const dropOf = ({ sources }: Config): unknown => (sources.hr?.type === 'csv' ? sources.hr.drop : null);
  expect(dropOf(restored)).toBe(dropOf(now));
  expect(restored.service).toEqual(now.service);
});

it('keeps no secret', () => {
  expect(JSON.stringify(describeDeciding(loadSample()))).not.toMatch(/"token"|"key":"key"|apiKey|bearer/);
});
