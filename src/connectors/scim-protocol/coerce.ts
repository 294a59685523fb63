import { isJsonObject, itemsOf, type Json, type JsonObject } from '../../model/json.js';
import { type Attribute, findNamed } from './attributes.js';
import { cleanAny } from './custom-extension.js';
import { invalidValue, type ScimError } from './scim-error.js';

/**
 * Converts a value to its stored form: names as in the schema, no unknown or read-only parts, `"True"` as true, a plain
 * text address as `{ value }`. Returns undefined if nothing is left; the attribute is then unassigned.
 */
export function coerceValue(attribute: Attribute, value: Json): Json | undefined {
  if (attribute.returned === 'never') return undefined;
  if (!attribute.multiValued) return coerceSingle(attribute, value);
  const items = itemsOf(value).flatMap((item) => coerceOne(attribute, item) ?? []);
  if (items.filter(isPrimary).length > 1) {
    throw invalidValue(`Only one of ${attribute.name} can be primary.`);
  }
  return items.length === 0 ? undefined : dropTwice(items);
}

/**
 * Converts the single value of an attribute, of a part of an attribute, or of a chosen element. Some clients send a
 * single value as a list of one.
 */
export function coerceSingle(attribute: Attribute, value: Json): Json | undefined {
  return coerceOne(attribute, unwrap(attribute, value));
}

/** Converts one value, or one element of a list. */
export function coerceOne(attribute: Attribute, value: Json): Json | undefined {
  if (value === null) return undefined;
  const { name, type } = attribute;
  if (type === 'any') return cleanAny(value);
  if (type === 'complex') return coerceComplex(attribute, value);
  if (type === 'boolean') return coerceBoolean(name, value);
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw refuseType(name, 'a text', value);
}

function coerceComplex(attribute: Attribute, value: Json): JsonObject | undefined {
  const parts = attribute.subAttributes ?? [];
  if (!isJsonObject(value)) {
    const only = findNamed(parts, 'value');
    if (only === null || Array.isArray(value)) throw refuseType(attribute.name, 'an object', value);
    const one = coerceOne(only, value);
    return one === undefined || one === '' ? undefined : { [only.name]: one };
  }
  const object: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    const part = findNamed(parts, key);
    if (part === null || part.mutability === 'readOnly') continue;
    const coerced = coerceOne(part, item);
    if (coerced !== undefined) object[part.name] = coerced;
  }
  return isHollow(object) ? undefined : object;
}

/** True for an empty object and for a reference to nobody (`{ "value": "" }`). */
export function isHollow(object: JsonObject): boolean {
  return Object.keys(object).length === 0 || object.value === '';
}

function coerceBoolean(name: string, value: Json): boolean {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  if (word === 'true' || word === 'false') return word === 'true';
  throw refuseType(name, 'true or false', value);
}

/** Unwraps a single value that a client sent as a list of one, or as `[{ "value": … }]`. */
function unwrap(attribute: Attribute, value: Json): Json {
  // Without a schema, the value may really be a list.
  if (attribute.type === 'any') return value;
  const [first] = Array.isArray(value) && value.length === 1 ? (value as readonly Json[]) : [value];
  if (first === undefined) return value;
  if (attribute.type !== 'complex' && Array.isArray(value) && isJsonObject(first)) return first.value ?? null;
  return first;
}

function dropTwice(items: readonly Json[]): readonly Json[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const text = JSON.stringify(item);
    return seen.has(text) ? false : seen.add(text);
  });
}

export function isPrimary(item: Json): boolean {
  return isJsonObject(item) && item.primary === true;
}

function refuseType(name: string, expected: string, found: Json): ScimError {
  const kind = isJsonObject(found) ? 'an object' : `a ${typeof found}`;
  return invalidValue(`${name} is ${expected}, not ${Array.isArray(found) ? 'a list' : kind}.`);
}
