import { expect, it } from 'vitest';
import { buildJsonSchema } from '../../src/config/json-schema.js';
import { createEnvironment } from '../../src/mapping/functions.js';
import { nameAsWritten } from '../../src/mapping/linear-patterns.js';
import { FIELDS } from '../../src/model/fields.js';
import { nearestName } from '../../src/model/nearest.js';
import { SYNONYMS } from '../../src/model/synonyms.js';

const KEYS = ['base_url', 'api_key', 'separator', 'drop', 'telephone', 'title'];

it.each([
  ['delimiter', 'separator'],
  ['Phone', 'telephone'],
  ['API-Key', 'api_key'],
  ['token', 'api_key'],
  ['folder', 'drop'],
  ['jobTitle', 'title'],
  // The same spelling takes precedence over the same meaning.
  ['Drop', 'drop'],
])('takes %s for %s', (written, meant) => {
  expect(nearestName(written, KEYS)).toBe(meant);
});

it('finds nothing if the word it means is not accepted', () => {
  expect(nearestName('delimiter', ['drop', 'title'])).toBeNull();
});

it('proposes only words of the configuration and of its expressions', () => {
  const known = new Set(['today']);
  collect(buildJsonSchema(), known);
  for (const fields of Object.values(FIELDS)) for (const name of Object.keys(fields)) known.add(name);
  for (const { name } of createEnvironment('UTC').getDefinitions().functions) known.add(nameAsWritten(name));
  const meant = Object.values(SYNONYMS).flatMap((words) => words.split(' '));
  expect(meant.filter((word) => !known.has(word))).toEqual([]);
});

/** Collects the keys and words of a JSON schema. */
function collect(schema: unknown, known: Set<string>): void {
  if (typeof schema === 'string') known.add(schema);
  if (typeof schema !== 'object' || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    known.add(key);
    collect(value, known);
  }
}
