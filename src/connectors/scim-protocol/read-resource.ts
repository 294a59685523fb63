import { isJsonObject, type Json, type JsonObject, objectOf } from '../../model/json.js';
import { findNamed } from './attributes.js';
import { coerceValue } from './coerce.js';
import { cleanAny, isCustom, limitCustom, nameIn } from './custom-extension.js';
import { findPath, type ResourceType } from './resource-type.js';
import { invalidSyntax, invalidValue } from './scim-error.js';

/**
 * What a client sent of a resource (POST, PUT) as it is stored: its own and its extensions' attributes by their names in
 * the schema, and extensions of unknown schemas. Left out: what is read-only, other names that no schema knows, passwords, and
 * `members`, which are rows of their own.
 *
 * @throws ScimError invalidSyntax, invalidValue
 */
export function readResource(type: ResourceType, sent: Json): JsonObject {
  const body = requireObject(sent);
  // A user sent to /Groups is a mistake; an extension that nobody knows here is not.
  if (!isListed(findSent(body, 'schemas'), type.schema.id))
    throw invalidValue(`schemas must be a list with ${type.schema.id}.`);
  const resource: Record<string, Json> = {};
  for (const [key, value] of Object.entries(body)) {
    const [name = key, read] = readEntry(type, key, value, resource);
    if (read !== undefined) resource[name] = read;
  }
  requireNamed(type, resource);
  limitCustom(type, resource);
  return resource;
}

/** Under which name something is stored, and as what; nothing where nothing of it is. */
function readEntry(
  type: ResourceType,
  key: string,
  value: Json,
  resource: JsonObject,
): readonly [name?: string, value?: Json | undefined] {
  const extension = type.extensions.find(({ id }) => id.toLowerCase() === key.toLowerCase());
  if (extension !== undefined) {
    const inside = {
      ...objectOf(resource[extension.id]),
      ...readAttributes(extension.attributes, value, extension.name),
    };
    return Object.keys(inside).length > 0 ? [extension.id, inside] : [];
  }
  if (isCustom(type, key)) return [nameIn(resource, key), isJsonObject(value) ? cleanAny(value) : undefined];
  const path = findPath(type, key);
  if (path?.attribute == null || path.sub !== null || isKeptElsewhere(path.attribute)) return [];
  const read = coerceValue(path.attribute, value);
  if (path.extension === null) return [path.attribute.name, read];
  // Beside its extension instead of in it: with the URN before its name, or without.
  return read === undefined ? [] : readEntry(type, path.extension.id, { [path.attribute.name]: read }, resource);
}

export function requireObject(sent: Json): JsonObject {
  if (isJsonObject(sent)) return sent;
  throw invalidSyntax('The body must be a JSON object.');
}

/** Read-only attributes are ours to give; of members the ids alone are kept. */
export function isKeptElsewhere({ mutability, name }: { readonly mutability: string; readonly name: string }): boolean {
  return mutability === 'readOnly' || name === 'members';
}

/** Every resource has a name by which people know it. */
export function requireNamed(type: ResourceType, resource: JsonObject): void {
  for (const { name, required } of type.schema.attributes) {
    const value = resource[name];
    if (required && (typeof value !== 'string' || value.trim() === '')) throw invalidValue(`${name} is required.`);
  }
}

/** The value under a name, in whatever case it was sent. */
export function findSent(body: JsonObject, name: string): Json | undefined {
  const wanted = name.toLowerCase();
  const key = Object.keys(body).find((one) => one.toLowerCase() === wanted);
  return key === undefined ? undefined : body[key];
}

function readAttributes(
  attributes: ResourceType['schema']['attributes'],
  value: Json,
  name: string,
): Record<string, Json> {
  if (value === null) return {};
  if (!isJsonObject(value)) throw invalidValue(`${name} must be an object.`);
  const inside: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    const attribute = findNamed(attributes, key);
    if (attribute === null || attribute.mutability === 'readOnly') continue;
    const coerced = coerceValue(attribute, item);
    if (coerced !== undefined) inside[attribute.name] = coerced;
  }
  return inside;
}

/** A message says what it is by its schema (RFC 7644, 3.1); some clients leave that out, none may say another. */
export function checkMessage(body: JsonObject, name: 'PatchOp' | 'SearchRequest' | 'BulkRequest'): void {
  const urn = `urn:ietf:params:scim:api:messages:2.0:${name}`;
  if (isListed(findSent(body, 'schemas'), urn)) return;
  throw invalidSyntax(`schemas must be a list with ${urn}.`);
}

function isListed(schemas: Json | undefined, urn: string): boolean {
  if (schemas === undefined) return true;
  return Array.isArray(schemas) && schemas.some((one) => wordOf(one) === urn.toLowerCase());
}

/** A word that is compared without case; '' for whatever is no text, which must not be made one: it may refuse. */
export function wordOf(sent: Json | undefined): string {
  return typeof sent === 'string' ? sent.toLowerCase() : '';
}
