import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildJsonSchema, listKnownKeys } from '../../src/config/json-schema.js';
import { loadConfig } from '../../src/config/load.js';
import { SyncError } from '../../src/errors.js';
import { createMapper } from '../../src/mapping/mapper.js';
import { createProtector } from '../../src/mapping/protector.js';
import { ENTITIES } from '../../src/model/entity.js';
import { FIELDS } from '../../src/model/fields.js';
import { EXAMPLE_ENV } from './sample.js';

const FOLDER = new URL('../../config/', import.meta.url).pathname;
const examples = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));

describe('config/*.yaml', () => {
  it('are there', () => {
    expect(examples).toEqual(expect.arrayContaining(['full.yaml', 'hr-scim-crm.yaml', 'minimal.yaml']));
  });

  it.each(examples)('%s loads and compiles', (name) => {
    try {
      const config = loadConfig(join(FOLDER, name), EXAMPLE_ENV);
      for (const entity of ENTITIES) if (config.mappings[entity] !== undefined) createMapper(config, entity);
      createProtector(config);
    } catch (error) {
      // The problems say more than the message.
      throw error instanceof SyncError ? new Error(JSON.stringify(error.problems, null, 2)) : error;
    }
  });

  it('full.yaml names every key there is', () => {
    const text = readFileSync(join(FOLDER, 'full.yaml'), 'utf8');
    const missing = listAllKeys(buildJsonSchema()).filter((key) => !new RegExp(`\\b${key}\\b`).test(text));
    const fields = new Set(Object.values(FIELDS).flatMap((entity) => Object.keys(entity)));
    expect(missing.filter((key) => !fields.has(key))).toEqual([]);
  });
});

describe('config/talent-sync.schema.json', () => {
  const file = join(FOLDER, 'talent-sync.schema.json');

  it('is current (UPDATE_SCHEMA=1 rewrites it)', () => {
    const text = `${JSON.stringify(buildJsonSchema(), null, 2)}\n`;
    if (process.env.UPDATE_SCHEMA === '1') writeFileSync(file, text);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('knows the keys of a place', () => {
    const schema = buildJsonSchema();
    expect(listKnownKeys(schema, ['plan'], {})).toEqual(['expires']);
    const data = { sources: { idp: { type: 'scim' } } };
    expect(listKnownKeys(schema, ['sources', 'idp'], data)).toContain('page_size');
    expect(listKnownKeys(schema, ['sources', 'idp'], data)).not.toContain('drop');
    expect(listKnownKeys(schema, ['users', 'fields'], {})).toEqual(Object.keys(FIELDS.users));
  });
});

describe('relative paths', () => {
  it('start from the folder of the configuration', () => {
    const folder = mkdtempSync(join(tmpdir(), 'talent-sync-'));
    const file = join(folder, 'acme.yaml');
    writeFileSync(file, readFileSync(join(FOLDER, 'minimal.yaml')));
    const config = loadConfig(file, EXAMPLE_ENV);
    expect(config.state).toBe(join(folder, 'var/acme'));
    expect(config.sources.hr).toMatchObject({ drop: join(folder, 'drop/hr') });
    expect(Object.isFrozen(config.users?.fields)).toBe(true);
  });
});

function listAllKeys(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = 'properties' in node && typeof node.properties === 'object' ? Object.keys(node.properties ?? {}) : [];
  return [...new Set([...own, ...Object.values(node).flatMap(listAllKeys)])];
}
