import type { Config, FieldSource } from '../config/config.js';
import { type Entity, findEntity } from '../model/entity.js';
import { canonicalJson, type Json } from '../model/json.js';
import { sha256 } from '../model/sha256.js';
import { EXISTENCE, LINK, type Pin } from '../model/undo.js';
import type { WriteBackColumn } from '../model/write-back.js';
import type { Stores } from '../store/open-stores.js';

/**
 * Digest of the configuration that produces one leaf: its expression and its rule. For existence, it covers the
 * delivered records, the scope and the condition for leavers. If the digest changes, a person has decided again, so an
 * undo no longer applies.
 */
export function digestMapping({ mappings }: Pick<Config, 'mappings'>, entity: Entity, path: string): string {
  // No mapping decides which object a record is linked to.
  if (path === LINK) return LINK;
  const mapping = mappings[entity];
  const { field, part } = splitPath(path);
  const source = mapping?.fields[field];
  const parts =
    path === EXISTENCE
      ? [
          mapping?.scope,
          mapping?.leaver,
          mapping !== undefined && 'existence' in mapping ? mapping.existence : mapping?.from,
        ]
      : [leafOf(source, part), mapping?.rules[path] ?? mapping?.rules[field]];
  const text = canonicalJson(JSON.parse(JSON.stringify(parts)) as Json);
  return sha256(text, 'base64url');
}

/** Digest of the configuration that produces the values written back to one column. */
export function digestColumn(
  { mappings }: Config,
  entity: Entity,
  { source, column }: Pick<WriteBackColumn, 'source' | 'column'>,
): string {
  const found = mappings[entity]?.writeBack.filter((one) => one.source === source && one.column === column) ?? [];
  return sha256(canonicalJson(JSON.parse(JSON.stringify(found)) as Json), 'base64url');
}

function splitPath(path: string): { readonly field: string; readonly part: string | null } {
  const dot = path.indexOf('.');
  return dot === -1 ? { field: path, part: null } : { field: path.slice(0, dot), part: path.slice(dot + 1) };
}

/** The branch of a tree for a language, category or name. A field with a single expression is one leaf. */
function leafOf(source: FieldSource | undefined, part: string | null): FieldSource | null {
  if (source === undefined) return null;
  if (part === null || typeof source !== 'object' || Array.isArray(source)) return source;
  return (source as { readonly [key: string]: FieldSource })[part] ?? source;
}

/**
 * Loads the values and changes that undos and declines prevent. The pin of an undo under another mapping is recorded as
 * forgotten; a decline under another mapping stays, and is marked as edited.
 *
 * @param now ISO 8601: declines whose date has come are left out
 */
export function loadPins(
  config: Config,
  { pins, declines, work }: Pick<Stores, 'pins' | 'declines' | 'work'>,
  now: string,
): (entity: Entity, key: string) => readonly Pin[] {
  const byRecord = new Map<string, Pin[]>();
  const note = (scope: string, key: string, pin: Pin): void => {
    const ref = `${scope}:${key}`;
    const known = byRecord.get(ref) ?? [];
    byRecord.set(ref, known);
    known.push(pin);
  };
  for (const { entity, key, path, value, mapping } of pins.all()) {
    if (digestMapping(config, entity, path) === mapping) note(entity, key, { path, value, mapping });
    else work.unpin(entity, key, path);
  }
  for (const { id, scope, key, path, value, mapping } of declines.inForce(now)) {
    const entity = findEntity(scope);
    if (entity === undefined) continue;
    const isEdited = digestMapping(config, entity, path) !== mapping;
    note(scope, key, { path, value, mapping, declined: { id, isEdited } });
  }
  return (entity, key) => byRecord.get(`${entity}:${key}`) ?? [];
}
