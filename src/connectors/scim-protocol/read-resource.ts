import { isJsonObject, type Json, type JsonObject, objectOf } from '../../model/json.js';
import { findNamed } from './attributes.js';
import { coerceValue } from './coerce.js';
import { cleanAny, isCustom, limitCustom, nameIn } from './custom-extension.js';
import { findPath, type ResourceType } from './resource-type.js';
import { invalidSyntax, invalidValue } from './scim-error.js';

/**
 * Converts a resource that a client sent (POST, PUT) to its stored form. It keeps the attributes of the resource and of
 * its extensions, under their names in the schema, and extensions with unknown schemas. It leaves out read-only
 * attributes, other unknown names, passwords, and `members`, which are stored in separate rows.
 *
 * @throws ScimError invalidSyntax, invalidValue
 */
export function readResource(type: ResourceType, sent: Json): JsonObject {
  const body = requireObject(sent);
  // A user sent to /Groups is an error; an unknown extension is not.
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

/** Returns the name and the value to store; empty if nothing is stored. */
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
  // An attribute of an extension may be outside its extension, with or without the URN before its name.
  return read === undefined ? [] : readEntry(type, path.extension.id, { [path.attribute.name]: read }, resource);
}

export function requireObject(sent: Json): JsonObject {
  if (isJsonObject(sent)) return sent;
  throw invalidSyntax('The body must be a JSON object.');
}

/**
 * True if an attribute is not stored with its resource: the service sets read-only attributes, and members are stored by
 * their ids.
 */
export function isKeptElsewhere({ mutability, name }: { readonly mutability: string; readonly name: string }): boolean {
  return mutability === 'readOnly' || name === 'members';
}

/** Checks that a resource has the name that people know. */
export function requireNamed(type: ResourceType, resource: JsonObject): void {
  for (const { name, required } of type.schema.attributes) {
    const value = resource[name];
    if (required && (typeof value !== 'string' || value.trim() === '')) throw invalidValue(`${name} is required.`);
  }
}

/** Finds the value under a name, in any case. */
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

/** Checks the schema of a message (RFC 7644, 3.1). Some clients leave the schema out, but a different schema is an error. */
export function checkMessage(body: JsonObject, name: 'PatchOp' | 'SearchRequest' | 'BulkRequest'): void {
  const urn = `urn:ietf:params:scim:api:messages:2.0:${name}`;
  if (isListed(findSent(body, 'schemas'), urn)) return;
  throw invalidSyntax(`schemas must be a list with ${urn}.`);
}

function isListed(schemas: Json | undefined, urn: string): boolean {
  if (schemas === undefined) return true;
  return Array.isArray(schemas) && schemas.some((one) => wordOf(one) === urn.toLowerCase());
}

/**
 * Returns a word in lower case, for comparison. Any value other than a text gives '', because its conversion to a text
 * might throw.
 */
export function wordOf(sent: Json | undefined): string {
  return typeof sent === 'string' ? sent.toLowerCase() : '';
}
