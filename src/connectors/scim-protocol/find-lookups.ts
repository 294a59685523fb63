import type { Filter } from './parse-filter.js';
import { findPath, type ResourceType } from './resource-type.js';

/** A column that can be looked up directly. */
export type LookupColumn = 'id' | 'userName' | 'externalId' | 'displayName' | 'member' | 'email';
export interface Lookup {
  readonly column: LookupColumn;
  readonly value: string;
}

const COLUMNS: Readonly<Record<ResourceType['name'], Readonly<Record<string, LookupColumn>>>> = {
  User: { id: 'id', userName: 'userName', externalId: 'externalId', emails: 'email', 'emails.value': 'email' },
  Group: {
    id: 'id',
    displayName: 'displayName',
    externalId: 'externalId',
    members: 'member',
    'members.value': 'member',
  },
};

/**
 * Returns lookups that together find every resource that a filter may match; null if the filter must be tested on every
 * resource. For `and`, the lookups for one part are enough; for `or`, each part needs lookups. A condition on one
 * element also applies to its resource.
 */
export function findLookups(filter: Filter, type: ResourceType, prefix = ''): readonly Lookup[] | null {
  const findIn = (part: Filter): readonly Lookup[] | null => findLookups(part, type, prefix);
  switch (filter.op) {
    case 'eq':
      return lookupsOf(prefix + filter.path, filter.value, type);
    case 'and':
      return filter.parts.map(findIn).find((found) => found !== null) ?? null;
    case 'or': {
      const all = filter.parts.map(findIn);
      return all.every((found) => found !== null) ? all.flat() : null;
    }
    case '[]': {
      const { path, inner, also } = filter;
      const of = (part: Filter): readonly Lookup[] | null => findLookups(part, type, `${prefix}${path}.`);
      return of(inner) ?? (also === null ? null : of(also));
    }
    default:
      return null;
  }
}

function lookupsOf(text: string, value: unknown, type: ResourceType): readonly Lookup[] | null {
  const path = findPath(type, text);
  if (path?.attribute == null || path.extension !== null || typeof value !== 'string') return null;
  const name = path.sub === null ? path.attribute.name : `${path.attribute.name}.${path.sub.name}`;
  const column = COLUMNS[type.name][name];
  return column === undefined ? null : [{ column, value }];
}
