import { readFileSync } from 'node:fs';
import type { Yaml } from '../scenarios/company.js';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly const?: unknown;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const SCHEMA = new URL('../../config/talent-sync.schema.json', import.meta.url);

/**
 * Every place of the configuration that takes a secret, as `sources.*.auth.bearer`, with the type of a source:
 * `*[scim]`.
 */
export function listSecretPlaces(): readonly string[] {
  const found = new Set<string>();
  const root = JSON.parse(readFileSync(SCHEMA, 'utf8')) as Schema;
  const follow = (schema: Schema): Schema => {
    const shared = root.$defs?.[schema.$ref?.replace('#/$defs/', '') ?? ''];
    return shared === undefined ? schema : follow(shared);
  };
  const walk = (part: Schema, path: string): void => {
    const schema = follow(part);
    const { properties = {}, additionalProperties: others, items } = schema;
    if (isSecret(Object.keys(properties))) return void found.add(path);
    for (const [name, inner] of Object.entries(properties)) walk(inner, `${path}.${name}`);
    if (typeof others === 'object') walk(others, `${path}.*`);
    if (items !== undefined) walk(items, `${path}.*`);
    for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].map(follow)) {
      const kind = one.properties?.type;
      const type = kind === undefined ? undefined : follow(kind).const;
      walk(one, typeof type === 'string' ? `${path}[${type}]` : path);
    }
  };
  walk(root, '');
  return [...found].map((path) => path.slice(1)).sort();
}

/** The places of a configuration that contain a secret, in the same form. */
export function listFilledPlaces(config: Yaml): readonly string[] {
  const found = new Set<string>();
  const walk = (value: Yaml, path: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value) && isSecret(Object.keys(value))) return void found.add(path.join('.'));
    for (const [name, part] of Object.entries(value)) walk(part as Yaml, [...path, nameStep(path, name, part as Yaml)]);
  };
  walk(config, []);
  return [...found].sort();
}

/** Names that the user chooses become `*`. */
function nameStep(path: readonly string[], name: string, value: Yaml): string {
  const parent = path.at(-1) ?? '';
  if (!/^(sources|deliveries|reports|streams|tokens|secrets|channels)$/.test(parent)) return name;
  const isTyped = parent === 'sources' || parent === 'channels';
  const type = isTyped && typeof value === 'object' && value !== null && 'type' in value ? value.type : null;
  return type === null ? '*' : `*[${String(type)}]`;
}

function isSecret(keys: readonly string[]): boolean {
  return keys.length > 0 && keys.every((key) => key === 'env' || key === 'file');
}
