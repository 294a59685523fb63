import { isJsonObject, itemsOf, type Json } from '../../model/json.js';
import type { Filter } from './parse-filter.js';
import { findSent } from './read-resource.js';
import { findPath, GROUPS } from './resource-type.js';
import { invalidValue } from './scim-error.js';

/** What a PATCH does to the members of a group: by their ids, so that a group of thousands is never read for it. */
export interface MemberEdits {
  add(ids: readonly string[]): void;
  remove(ids: readonly string[]): void;
  removeMatching(filter: Filter): void;
  replace(ids: readonly string[]): void;
}

/** Ids in whatever form they came (`[{ value }]`, one `{ value }`, a text), each once. */
export function readMemberIds(sent: Json): readonly string[] {
  const ids = itemsOf(sent).map((item) => {
    const id = isJsonObject(item) ? findSent(item, 'value') : item;
    if (typeof id === 'string' && id !== '') return id;
    throw invalidValue('A member is named by its id, as { "value": "…" }.');
  });
  return [...new Set(ids)];
}

/** Whose membership a filter asks for, so that nobody else's need be read; `all` where it may ask for anybody's. */
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
