import { canonicalJson, isJsonObject, type Json, listOf, type Values } from './json.js';
import { foldKey } from './observed.js';

/**
 * Returns the key of a link: the project and the person. All rows of a person on one project are one link, so their number does
 * not decide how often the person is staffed. null if the row lacks the project or the person.
 */
export function linkKey({ project, user }: Values): string | null {
  if (typeof project !== 'string' || typeof user !== 'string') return null;
  return `${foldKey(project)}/${foldKey(user)}`;
}

/**
 * Merges two rows of one link. The options come from the first row, the roles from both. The roles are sorted to keep the
 * result stable.
 */
export function mergeLinks(first: Values, other: Values): Values {
  const roles = [...listRoles(first.role)];
  for (const role of listRoles(other.role)) if (!roles.some((known) => isSameRole(known, role))) roles.push(role);
  if (roles.length === 0) return first;
  return { ...first, role: roles.sort((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1)) };
}

export function listRoles(value: Json | undefined): readonly Json[] {
  return listOf(value);
}

/** True if two roles have the same name in one language. */
export function isSameRole(a: Json, b: Json): boolean {
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  return Object.entries(a).some(([language, name]) => {
    const other = b[language];
    return other !== undefined && other !== null && foldKey(String(other)) === foldKey(String(name));
  });
}

/** Lists the desired roles that are missing. */
export function lackingRoles(want: Json | undefined, have: Json | undefined): readonly Json[] {
  const there = listRoles(have);
  return listRoles(want).filter((role) => !there.some((known) => isSameRole(known, role)));
}
