import type { Filter } from './parse-filter.js';
import { findPath, GROUPS } from './resource-type.js';

/** Whose membership a filter asks for, so that nobody else's need be read; `all` where it may ask for anybody's. */
export type NamedMembers = 'all' | readonly string[];

export function findNamedMembers(filter: Filter | null): NamedMembers {
  if (filter === null) return [];
  switch (filter.op) {
    case 'and':
    case 'or':
      return join(filter.parts.map(findNamedMembers));
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

function join(parts: readonly NamedMembers[]): NamedMembers {
  const lists = parts.filter((part) => part !== 'all');
  return lists.length < parts.length ? 'all' : lists.flat();
}

function isOfMembers(path: string): boolean {
  return findPath(GROUPS, path)?.attribute?.name === 'members';
}

function findNamed(path: string, value: unknown): NamedMembers {
  const sub = findPath(GROUPS, path)?.sub?.name ?? 'value';
  return sub === 'value' && typeof value === 'string' ? [value] : 'all';
}
