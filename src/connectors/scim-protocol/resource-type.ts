import { isJsonObject, itemsOf, type Json, type JsonObject } from '../../model/json.js';
import { type Attribute, findNamed } from './attributes.js';
import { COMMON, ENTERPRISE_SCHEMA, GROUP_SCHEMA, type Schema, USER_SCHEMA } from './schemas.js';

export interface ResourceType {
  readonly name: 'User' | 'Group';
  /** The part of the address for this type. */
  readonly endpoint: 'Users' | 'Groups';
  readonly schema: Schema;
  readonly extensions: readonly Schema[];
}

export const USERS: ResourceType = {
  name: 'User',
  endpoint: 'Users',
  schema: USER_SCHEMA,
  extensions: [ENTERPRISE_SCHEMA],
};
export const GROUPS: ResourceType = { name: 'Group', endpoint: 'Groups', schema: GROUP_SCHEMA, extensions: [] };
export const RESOURCE_TYPES: readonly ResourceType[] = [USERS, GROUPS];

/** The path of a value, such as `name.givenName` or `urn:…:enterprise:2.0:User:department`, or of an entire extension. */
export interface AttributePath {
  /** The schema of the extension; null for the resource itself. */
  readonly extension: Schema | null;
  /** null for the entire extension. */
  readonly attribute: Attribute | null;
  readonly sub: Attribute | null;
}

/**
 * Reads an attribute's name, with or without the URN of its schema, in any case (RFC 7644, 3.10). Attributes of an
 * extension are also found without its URN, because several clients leave it out. Returns null if there is no attribute
 * with this name.
 */
export function findPath(type: ResourceType, text: string): AttributePath | null {
  const rest = dropPrefix(text, type.schema.id);
  if (rest !== null) return findIn([...COMMON, ...type.schema.attributes], null, rest);
  for (const extension of type.extensions) {
    if (text.toLowerCase() === extension.id.toLowerCase()) return { extension, attribute: null, sub: null };
    const inside = dropPrefix(text, extension.id);
    if (inside !== null) return findIn(extension.attributes, extension, inside);
  }
  const own = findIn([...COMMON, ...type.schema.attributes], null, text);
  if (own !== null) return own;
  for (const extension of type.extensions) {
    const found = findIn(extension.attributes, extension, text);
    if (found !== null) return found;
  }
  return null;
}

function dropPrefix(text: string, urn: string): string | null {
  return text.toLowerCase().startsWith(`${urn.toLowerCase()}:`) ? text.slice(urn.length + 1) : null;
}

function findIn(attributes: readonly Attribute[], extension: Schema | null, text: string): AttributePath | null {
  const [name = '', subName, ...more] = text.split('.');
  const attribute = findNamed(attributes, name);
  if (attribute === null || more.length > 0) return null;
  if (subName === undefined) return { extension, attribute, sub: null };
  const sub = findNamed(attribute.subAttributes ?? [], subName);
  return sub === null ? null : { extension, attribute, sub };
}

/** Reads every value at a path of a stored resource: none, one, or one per element. */
export function readValues(resource: JsonObject, { extension, attribute, sub }: AttributePath): readonly Json[] {
  const holder = extension === null ? resource : resource[extension.id];
  if (attribute === null) return holder === undefined ? [] : [holder];
  const value = isJsonObject(holder) ? holder[attribute.name] : undefined;
  const items = itemsOf(value);
  if (sub === null) return items;
  return items.flatMap((item) => (isJsonObject(item) ? itemsOf(item[sub.name]) : []));
}

/** Returns the part that is compared in a complex attribute, which is `value` (RFC 7644, 3.4.2.2); null if there is none. */
export function comparedPart(attribute: Attribute): Attribute | null {
  return attribute.type === 'complex' ? findNamed(attribute.subAttributes ?? [], 'value') : attribute;
}
