import type { Filter } from './parse-filter.js';
import { findPath, type ResourceType } from './resource-type.js';

/** A column that can be looked up at once. */
export type LookupColumn = 'id' | 'userName' | 'externalId' | 'displayName' | 'member';
export interface Lookup {
  readonly column: LookupColumn;
  readonly value: string;
}

const COLUMNS: Readonly<Record<ResourceType['name'], Readonly<Record<string, LookupColumn>>>> = {
  User: { id: 'id', userName: 'userName', externalId: 'externalId' },
  Group: {
    id: 'id',
    displayName: 'displayName',
    externalId: 'externalId',
    members: 'member',
    'members.value': 'member',
  },
};

/**
 * Lookups that together find every resource a filter may match, so that only those need be asked; null when the filter has
 * to be asked of all. Of an `and` one part is enough, of an `or` each part must have its own.
 */
export function findLookups(filter: Filter, type: ResourceType): readonly Lookup[] | null {
  switch (filter.op) {
    case 'eq':
      return lookUp(filter.path, filter.value, type);
    case 'and':
      return filter.parts.map((part) => findLookups(part, type)).find((found) => found !== null) ?? null;
    case 'or': {
      const all = filter.parts.map((part) => findLookups(part, type));
      return all.every((found) => found !== null) ? all.flat() : null;
    }
    case '[]':
      return filter.inner.op === 'eq' ? lookUp(`${filter.path}.${filter.inner.path}`, filter.inner.value, type) : null;
    default:
      return null;
  }
}

function lookUp(text: string, value: unknown, type: ResourceType): readonly Lookup[] | null {
  const path = findPath(type, text);
  if (path?.attribute == null || path.extension !== null || typeof value !== 'string') return null;
  const name = path.sub === null ? path.attribute.name : `${path.attribute.name}.${path.sub.name}`;
  const column = COLUMNS[type.name][name];
  return column === undefined ? null : [{ column, value }];
}
