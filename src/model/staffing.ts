import { canonicalJson, isJsonObject, type Json, listOf, type Values } from './json.js';
import { foldKey } from './observed.js';

/**
 * The key of a link: the person and the project. A person's rows on one project are one link, whatever ids the rows have, so
 * their number never decides how often someone is put on a project. null if a row lacks one of the two.
 */
export function linkKey({ project, user }: Values): string | null {
  if (typeof project !== 'string' || typeof user !== 'string') return null;
  return `${foldKey(project)}/${foldKey(user)}`;
}

/** Merges two rows of one link: the options of the first, the roles of both. Roles are sorted, so that the result is stable. */
export function mergeLinks(first: Values, other: Values): Values {
  const roles = [...listRoles(first.role)];
  for (const role of listRoles(other.role)) if (!roles.some((known) => isSameRole(known, role))) roles.push(role);
  if (roles.length === 0) return first;
  return { ...first, role: roles.sort((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1)) };
}

export function listRoles(value: Json | undefined): readonly Json[] {
  return listOf(value);
}

/** A role is identified by its name: the same words in one language are the same role. */
export function isSameRole(a: Json, b: Json): boolean {
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  return Object.entries(a).some(([language, name]) => {
    const other = b[language];
    return other !== undefined && other !== null && foldKey(String(other)) === foldKey(String(name));
  });
}

/** Desired roles that are missing. */
export function lackingRoles(want: Json | undefined, have: Json | undefined): readonly Json[] {
  const there = listRoles(have);
  return listRoles(want).filter((role) => !there.some((known) => isSameRole(known, role)));
}
