import { isJsonObject, itemsOf, type Json } from '../../model/json.js';
import type { Filter } from './parse-filter.js';
import { findSent } from './read-resource.js';
import { findPath, GROUPS } from './resource-type.js';
import { invalidValue } from './scim-error.js';

/**
 * Changes that a PATCH makes to the members of a group. They use ids, so that a group with thousands of members need not
 * be read.
 */
export interface MemberEdits {
  add(ids: readonly string[]): void;
  remove(ids: readonly string[]): void;
  removeMatching(filter: Filter): void;
  replace(ids: readonly string[]): void;
}

/** Reads member ids in any form (`[{ value }]`, one `{ value }`, a text), without duplicates. */
export function readMemberIds(sent: Json): readonly string[] {
  const ids = itemsOf(sent).map((item) => {
    const id = isJsonObject(item) ? findSent(item, 'value') : item;
    if (typeof id === 'string' && id !== '') return id;
    throw invalidValue('A member is named by its id, as { "value": "…" }.');
  });
  return [...new Set(ids)];
}

/** The members that a filter names, so that no other members need to be read; `all` if the filter may test any member. */
export type NamedMembers = 'all' | readonly string[];

export function findNamedMembers(filter: Filter | null): NamedMembers {
  if (filter === null) return [];
  switch (filter.op) {
    case 'and':
    case 'or': {
      const parts = filter.parts.map(findNamedMembers);
      return parts.includes('all') ? 'all' : parts.flat();
    }
    case 'not':
      return findNamedMembers(filter.part);
    case '[]': {
      if (!isOfMembers(filter.path)) return [];
      const { inner, also, path } = filter;
      return inner.op === 'eq' && also === null ? findNamed(`${path}.${inner.path}`, inner.value) : 'all';
    }
    case 'eq':
      return isOfMembers(filter.path) ? findNamed(filter.path, filter.value) : [];
    default:
      return isOfMembers(filter.path) ? 'all' : [];
  }
}

function isOfMembers(path: string): boolean {
  return findPath(GROUPS, path)?.attribute?.name === 'members';
}

function findNamed(path: string, value: unknown): NamedMembers {
  const sub = findPath(GROUPS, path)?.sub?.name ?? 'value';
  return sub === 'value' && typeof value === 'string' ? [value] : 'all';
}
