import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SyncError } from '../../src/base/errors.js';
import { buildJsonSchema } from '../../src/config/json-schema.js';
import { loadConfig } from '../../src/config/load.js';
import { loadWeb } from '../../src/config/load-web.js';
import { createMapper } from '../../src/mapping/mapper.js';
import { createProtector } from '../../src/mapping/protector.js';
import { ENTITIES } from '../../src/model/entity.js';
import { FIELDS } from '../../src/model/fields.js';
import { EXAMPLE_ENV } from './sample.js';

const FOLDER = new URL('../../config/', import.meta.url).pathname;
/** For a daemon instead of a tenant. */
const DAEMON = 'daemon.yaml';
const examples = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml') && name !== DAEMON);

describe('config/*.yaml', () => {
  it('exist', () => {
    expect(examples).toEqual(expect.arrayContaining(['full.yaml', 'hr-scim-crm.yaml', 'minimal.yaml']));
  });

  it.each(examples)('load and compile: %s', (name) => {
    try {
      const config = loadConfig(join(FOLDER, name), EXAMPLE_ENV);
      for (const entity of ENTITIES) if (config.mappings[entity] !== undefined) createMapper(config, entity);
      createProtector(config);
    } catch (error) {
      // The problems say more than the message.
      throw error instanceof SyncError ? new Error(JSON.stringify(error.problems, null, 2)) : error;
    }
  });

  it('load from daemon.yaml', () => {
    const folder = mkdtempSync(join(tmpdir(), 'daemon-'));
    writeFileSync(join(folder, DAEMON), readFileSync(join(FOLDER, DAEMON)));
    expect(loadWeb(folder, EXAMPLE_ENV, false)).toMatchObject({ port: 8090, grants: [{}, {}, { pseudonyms: true }] });
  });

  it('name every known key in full.yaml', () => {
    const text = readFileSync(join(FOLDER, 'full.yaml'), 'utf8');
    const missing = listAllKeys(buildJsonSchema()).filter((key) => !new RegExp(`\\b${key}\\b`).test(text));
    const fields = new Set(Object.values(FIELDS).flatMap((entity) => Object.keys(entity)));
    expect(missing.filter((key) => !fields.has(key))).toEqual([]);
  });
});

describe('config/talent-sync.schema.json', () => {
  const file = join(FOLDER, 'talent-sync.schema.json');

  it('is current (`npm run schema` rewrites it)', () => {
    expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(buildJsonSchema(), null, 2)}\n`);
  });

  it('names the fields of every entity', () => {
    const { properties, $defs } = buildJsonSchema();
    expect(Object.keys(properties?.users?.properties?.fields?.properties ?? {})).toEqual(Object.keys(FIELDS.users));
    expect(Object.keys($defs ?? {}).length).toBeGreaterThan(10);
  });

  const validate = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile(buildJsonSchema());

  it.each(examples)('accepts %s', (name) => {
    validate(parse(readFileSync(join(FOLDER, name), 'utf8')));
    expect(validate.errors ?? []).toEqual([]);
  });

  it('rejects what the program rejects', () => {
    const minimal = parse(readFileSync(join(FOLDER, 'minimal.yaml'), 'utf8')) as { readonly users: object };
    expect(validate({ ...minimal, polcy: 'sync' })).toBe(false);
    expect(validate({ ...minimal, users: { ...minimal.users, fields: { emial: 'record.email' } } })).toBe(false);
  });
});

describe('relative paths', () => {
  it('start in the folder of the configuration', () => {
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
