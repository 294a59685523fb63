import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { type Attribute, defineAttribute, findNamed } from './attributes.js';
import type { AttributePath, ResourceType } from './resource-type.js';
import type { Schema } from './schemas.js';
import { invalidValue } from './scim-error.js';

/*
 * Extensions with an unknown schema. Values that a client sends under another URN are kept unchanged, so that they can
 * be returned, changed by a PATCH, and read as columns.
 */

const MOST_EXTENSIONS = 8;
const LARGEST_EXTENSION = 16 * 1024;
const DEEPEST = 5;
/** Matches attribute names (RFC 7643, 2.1), including `$ref`. */
const NAME = /^[A-Za-z$][-\w$]*$/;
/** Matches names of secrets, which are never kept in any extension. */
const SECRET = /passw|passphrase|secret|credential/i;

/** True if a key or a path names an extension that the type does not define. */
export function isCustom(type: ResourceType, text: string): boolean {
  // Few names have a colon, and this check runs for each name of each person.
  if (!text.includes(':')) return false;
  const lower = text.toLowerCase();
  if (!/^urn:[^:]+:./.test(lower)) return false;
  return ![type.schema, ...type.extensions].some(({ id }) => `${lower}:`.startsWith(`${id.toLowerCase()}:`));
}

export function listCustom(type: ResourceType, resource: JsonObject): readonly string[] {
  return Object.keys(resource).filter((key) => isCustom(type, key));
}

/** Defines an attribute that may have any value. */
export function defineAny(name: string, multiValued = false): Attribute {
  return defineAttribute(name, '', { type: 'any', multiValued, returned: SECRET.test(name) ? 'never' : 'default' });
}

export function isKept(name: string): boolean {
  return NAME.test(name) && !SECRET.test(name);
}

/** Removes the parts of a value that are not kept: secrets, invalid names, and empty parts. */
export function cleanAny(value: Json, depth = 1): Json | undefined {
  if (value === null || value === '') return undefined;
  if (typeof value !== 'object') return value;
  if (depth > DEEPEST) throw invalidValue(`Extensions are kept to a depth of ${DEEPEST} levels.`);
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).flatMap((item) => cleanAny(item, depth + 1) ?? []);
    return items.length === 0 ? undefined : items;
  }
  const kept = Object.entries(value as JsonObject).flatMap(([name, item]) => {
    const cleaned = isKept(name) ? cleanAny(item, depth + 1) : undefined;
    return cleaned === undefined ? [] : [[name, cleaned] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** @throws ScimError invalidValue if a resource has too many extensions, or an extension that is too large */
export function limitCustom(type: ResourceType, resource: JsonObject): void {
  const urns = listCustom(type, resource);
  if (urns.length > MOST_EXTENSIONS)
    throw invalidValue(`At most ${MOST_EXTENSIONS} extensions of unknown schemas are kept.`);
  for (const urn of urns) {
    if (Buffer.byteLength(JSON.stringify(resource[urn])) > LARGEST_EXTENSION)
      throw invalidValue(`An extension has at most ${LARGEST_EXTENSION} bytes.`);
  }
}

/**
 * Locates a path such as `urn:…:User:badge.colour` in a resource, using the names in the resource; null if the path does
 * not exist.
 */
export function locateCustom(resource: JsonObject, text: string): AttributePath | null {
  const found = findExtension(resource, text);
  if (found === null) return null;
  const { extension, rest } = found;
  if (rest === '') return { extension, attribute: null, sub: null };
  const [name = '', sub, ...more] = rest.split('.');
  const holder = resource[extension.id];
  if (more.length > 0 || !isJsonObject(holder)) return null;
  const attribute = nameIn(holder, name);
  const [first] = [holder[attribute]].flat() as readonly Json[];
  const part = sub === undefined ? null : defineAny(isJsonObject(first) ? nameIn(first, sub) : sub);
  return { extension, attribute: defineAny(attribute, Array.isArray(holder[attribute])), sub: part };
}

/**
 * Locates a path that need not exist yet. The text does not show where the URN ends, so existing values decide. Without
 * existing values, the entire path is the URN if the value is an object. Otherwise, the URN ends at the last colon.
 */
export function locateNewCustom(resource: JsonObject, text: string, value: Json | undefined): AttributePath | null {
  const there = locateCustom(resource, text);
  if (there !== null) {
    const isNewList = Array.isArray(value) && there.attribute !== null && there.sub === null;
    return isNewList ? { ...there, attribute: defineAny(there.attribute.name, true) } : there;
  }
  if (isJsonObject(value)) return { extension: describeUrn(text), attribute: null, sub: null };
  const at = text.lastIndexOf(':');
  const [name = '', sub, ...more] = text.slice(at + 1).split('.');
  const isPath = [name, sub ?? name].every((one) => NAME.test(one)) && more.length === 0;
  if (!isPath || !/^urn:[^:]+:./i.test(text.slice(0, at))) return null;
  return {
    extension: describeUrn(text.slice(0, at)),
    attribute: defineAny(name, Array.isArray(value)),
    sub: sub === undefined ? null : defineAny(sub),
  };
}

function findExtension(resource: JsonObject, text: string): { extension: Schema; rest: string } | null {
  const lower = text.toLowerCase();
  const keys = Object.keys(resource).filter((key) => `${lower}:`.startsWith(`${key.toLowerCase()}:`));
  const key = keys.toSorted((a, b) => b.length - a.length)[0];
  return key === undefined ? null : { extension: describeUrn(key), rest: text.slice(key.length + 1) };
}

function describeUrn(id: string): Schema {
  return { id, name: id, description: '', attributes: [] };
}

/** Finds a part of an element, even if no schema defines its parts. */
export function findPart(attribute: Attribute, name: string): Attribute | null {
  if (attribute.type === 'any') return isKept(name) ? defineAny(name) : null;
  return findNamed(attribute.subAttributes ?? [], name);
}

/** Returns the existing name that equals the given name except for case, or the given name if there is none. */
export function nameIn(object: JsonObject, name: string): string {
  return Object.keys(object).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name;
}
