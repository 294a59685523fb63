import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { findAttribute, findItem, isPrimary } from '../scim-protocol/flatten-user.js';
import { ENTERPRISE } from '../scim-protocol/schemas.js';

/** One operation of a PATCH (RFC 7644, 3.5.2). */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: Json;
}

/** Column → attribute with a single value. */
const SINGLE: Readonly<Record<string, string>> = {
  externalId: 'externalId',
  displayName: 'displayName',
  givenName: 'name.givenName',
  familyName: 'name.familyName',
  title: 'title',
  locale: 'locale',
  ...Object.fromEntries(
    ['department', 'division', 'organization', 'costCenter', 'employeeNumber', 'manager'].map((name) => [
      name,
      `${ENTERPRISE}:${name}`,
    ]),
  ),
};

/** Column → attribute with several values, the type of a new value, and the part that contains the value. */
const LISTED = {
  email: { attribute: 'emails', type: 'work', part: 'value' },
  phone: { attribute: 'phoneNumbers', type: 'mobile', part: 'value' },
  country: { attribute: 'addresses', type: 'work', part: 'country' },
} as const;
type PatchedItem = keyof typeof LISTED;

/** The attribute that a column is read from, in the form for a filter. */
export function filterPath(column: string): string {
  if (isListed(column)) return `${LISTED[column].attribute}.${LISTED[column].part}`;
  if (column === 'manager') return `${ENTERPRISE}:manager.value`;
  return SINGLE[column] ?? column;
}

function isListed(column: string): column is PatchedItem {
  return Object.hasOwn(LISTED, column);
}

/** True if a column is one of several values. The provider may have no such value to replace. */
export function hasListed(cells: JsonObject): boolean {
  return Object.keys(cells).some(isListed);
}

/** True if the user must be read first, because the primary e-mail or address decides the value of the column. */
export function needsUser(cells: JsonObject): boolean {
  return Object.hasOwn(cells, 'email') || Object.hasOwn(cells, 'country');
}

/**
 * Builds one operation per column.
 *
 * @param user the user from the provider; null if the user was not read. A phone number is then written as the mobile
 * number, which takes precedence in reads
 */
export function buildOperations(cells: JsonObject, user: JsonObject | null): readonly PatchOperation[] {
  return Object.entries(cells).flatMap(([column, value]): readonly PatchOperation[] => {
    if (isListed(column)) return changeItem(column, value, user);
    const path = SINGLE[column] ?? column;
    if (value === null) return [{ op: 'remove', path }];
    return [{ op: 'replace', path, value: column === 'manager' ? { value } : value }];
  });
}

function changeItem(column: PatchedItem, value: Json, user: JsonObject | null): readonly PatchOperation[] {
  const { attribute, type, part } = LISTED[column];
  const found = user === null ? { type } : findItem(user, column);
  // A work number does not count as the mobile number, so a mobile number is added.
  const isOther = column === 'phone' && value !== null && found !== undefined && !isOfType(found, type);
  if (found === undefined || isOther) {
    return value === null ? [] : [{ op: 'add', path: attribute, value: [{ type, [part]: value }] }];
  }
  const all = user === null ? [] : findAttribute(user, attribute);
  const item = `${attribute}[${describeItem(found, Array.isArray(all) ? all : [])}]`;
  // An address has more parts than its country, but an e-mail has only its value.
  if (value === null) return [{ op: 'remove', path: part === 'value' ? item : `${item}.${part}` }];
  return [{ op: 'replace', path: `${item}.${part}`, value }];
}

function isOfType(item: JsonObject, type: string): boolean {
  return String(findAttribute(item, 'type')).toLowerCase() === type;
}

/**
 * Returns a filter that selects only this item. It selects by type if no other item has the type, because every provider
 * understands this.
 */
function describeItem(item: JsonObject, all: readonly Json[]): string {
  const type = findAttribute(item, 'type');
  const others = all.filter((one) => isJsonObject(one) && one !== item).filter(isJsonObject);
  const isOnly =
    typeof type === 'string' && type !== '' && !others.some((other) => isOfType(other, type.toLowerCase()));
  if (isOnly) return `type eq ${JSON.stringify(type)}`;
  if (isPrimary(item) && !others.some(isPrimary)) return 'primary eq true';
  return `value eq ${JSON.stringify(findAttribute(item, 'value') ?? '')}`;
}
