import type { Config, FieldSource } from '../config/config.js';
import type { Entity } from '../model/entity.js';
import { canonicalJson, type Json } from '../model/json.js';
import { sha256 } from '../model/sha256.js';
import { EXISTENCE, LINK, type Pin } from '../model/undo.js';
import type { Stores } from '../store/open-stores.js';

/**
 * The part of the configuration that makes one leaf: its expression and its rule; of being there, who is delivered, in
 * scope, and a leaver. Another digest means that somebody has decided again, so that an undo binds no longer.
 */
export function digestMapping({ mappings }: Config, entity: Entity, path: string): string {
  // No mapping says who is who.
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

function splitPath(path: string): { readonly field: string; readonly part: string | null } {
  const dot = path.indexOf('.');
  return dot === -1 ? { field: path, part: null } : { field: path.slice(0, dot), part: path.slice(dot + 1) };
}

/** Of a tree the branch of the language, category or name; a field that is one expression is one leaf. */
function leafOf(source: FieldSource | undefined, part: string | null): FieldSource | null {
  if (source === undefined) return null;
  if (part === null || typeof source !== 'object' || Array.isArray(source)) return source;
  return (source as { readonly [key: string]: FieldSource })[part] ?? source;
}

/** The pins in force; those under another mapping are noted as forgotten. */
export function loadPins(config: Config, { pins, work }: Stores): (entity: Entity, key: string) => readonly Pin[] {
  const byRecord = new Map<string, Pin[]>();
  for (const { entity, key, path, value, mapping } of pins.all()) {
    if (digestMapping(config, entity, path) !== mapping) {
      work.unpin(entity, key, path);
      continue;
    }
    const ref = `${entity}:${key}`;
    const known = byRecord.get(ref) ?? [];
    byRecord.set(ref, known);
    known.push({ path, value, mapping });
  }
  return (entity, key) => byRecord.get(`${entity}:${key}`) ?? [];
}
