import { mayLookLikeAnother } from '../../model/difference.js';
import { isJsonObject, itemsOf, type Json, type JsonObject } from '../../model/json.js';
import { wordOf } from './read-resource.js';
import { ENTERPRISE } from './schemas.js';

type ListedColumn = 'email' | 'phone' | 'country';

/** The attribute of each listed column, and the preferred values of the attribute in order. */
const WISHES: Readonly<Record<ListedColumn, readonly [attribute: string, wishes: readonly Wish[]]>> = {
  email: ['emails', [isPrimary, isOfType('work'), isOnlyUntyped]],
  phone: ['phoneNumbers', [isOfType('mobile'), isOfType('work')]],
  country: ['addresses', [isPrimary, isOfType('work'), isOnlyUntyped]],
};

type FindAttribute = (user: JsonObject) => Json | undefined;

/** The place of each preset column in a SCIM user (RFC 7643, sections 4.1 and 4.3). */
const PRESET: Readonly<Record<string, FindAttribute>> = {
  // RFC 7643 leaves the meaning of a missing `active` to the provider. Providers that omit `active` list only people who
  // may sign in. An empty text means the same.
  active: (user) => {
    const active = findAttribute(user, 'active') ?? '';
    return active === '' ? true : active;
  },
  givenName: (user) => findIn(findAttribute(user, 'name'), 'givenName'),
  familyName: (user) => findIn(findAttribute(user, 'name'), 'familyName'),
  email: (user) => findIn(findItem(user, 'email'), 'value'),
  phone: (user) => findIn(findItem(user, 'phone'), 'value'),
  country: (user) => findIn(findItem(user, 'country'), 'country'),
  manager: (user) => {
    const manager = findEnterprise(user, 'manager');
    return isJsonObject(manager) ? findIn(manager, 'value') : manager;
  },
  groups: (user) => listNames(findAttribute(user, 'groups')),
  modified: (user) => findIn(findAttribute(user, 'meta'), 'lastModified'),
};

/**
 * Flattens a SCIM user to a row with the given columns. A column outside the preset is an attribute with the column's
 * name, of the user or of the enterprise extension. The case of names does not matter (RFC 7643, 2.1).
 */
export function flattenUser(user: JsonObject, columns: readonly string[]): JsonObject {
  const row: Record<string, Json> = {};
  for (const column of columns) {
    const find = PRESET[column];
    const value = find === undefined ? (findAttribute(user, column) ?? findEnterprise(user, column)) : find(user);
    if (value !== undefined) row[column] = value;
  }
  keepOddNames(user, row);
  return row;
}

/**
 * Keeps names that no attribute has (RFC 7643, 2.1) but that may look like the name of an attribute. The reader of the
 * row reports them.
 */
function keepOddNames(user: JsonObject, row: Record<string, Json>): void {
  for (const name in user) {
    const value = user[name] ?? null;
    if (mayLookLikeAnother(name)) row[name] = value;
    else if (isJsonObject(value))
      for (const inner in value) if (mayLookLikeAnother(inner)) row[inner] = value[inner] ?? null;
  }
}

export function findAttribute(object: JsonObject, name: string): Json | undefined {
  const exact = object[name];
  if (exact !== undefined) return exact ?? undefined;
  const wanted = name.toLowerCase();
  for (const key of Object.keys(object)) {
    if (key.toLowerCase() === wanted) return object[key] ?? undefined;
  }
  return undefined;
}

function findEnterprise(user: JsonObject, name: string): Json | undefined {
  return findIn(findAttribute(user, ENTERPRISE), name);
}

function findIn(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? findAttribute(value, name) : undefined;
}

type Wish = (item: JsonObject, all: readonly JsonObject[]) => boolean;

export function isPrimary(item: JsonObject): boolean {
  const primary = findAttribute(item, 'primary');
  return primary === true || wordOf(primary) === 'true';
}

function isOfType(type: string): Wish {
  return (item) => wordOf(findAttribute(item, 'type')) === type;
}

/** True for a single value without a type. A single value of type `home` is not meant for work. */
function isOnlyUntyped(item: JsonObject, all: readonly JsonObject[]): boolean {
  return all.length === 1 && (findAttribute(item, 'type') ?? '') === '';
}

/** Returns the first item that meets a wish. Earlier wishes take precedence. */
function choose(value: Json | undefined, wishes: readonly Wish[]): JsonObject | undefined {
  const items = itemsOf(value).filter(isJsonObject);
  for (const wish of wishes) {
    const item = items.find((candidate) => wish(candidate, items));
    if (item !== undefined) return item;
  }
  return undefined;
}

/** Finds the e-mail address, phone number or address for a column. */
export function findItem(user: JsonObject, column: ListedColumn): JsonObject | undefined {
  const [attribute, wishes] = WISHES[column];
  return choose(findAttribute(user, attribute), wishes);
}

/** Lists groups by name, or by id if the provider sends no name. */
function listNames(value: Json | undefined): Json | undefined {
  if (!Array.isArray(value)) return value;
  return (value as readonly Json[]).map((item) => findIn(item, 'display') ?? findIn(item, 'value') ?? item);
}
