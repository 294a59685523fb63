import { foldIdentity, type Identity } from './identity.js';

/** Each may do what the ones before it may. */
export const ROLES = ['viewer', 'approver', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** A role that some people have for some tenants. */
export interface Grant {
  readonly role: Role;
  readonly who: readonly string[];
  readonly groups: readonly string[];
  /** null for all of them. */
  readonly tenants: readonly string[] | null;
  /** People of the tenant are shown under pseudonyms. */
  readonly pseudonyms: boolean;
}

/** What one person may do for one tenant. */
export interface Access {
  readonly role: Role;
  readonly pseudonyms: boolean;
}

/** The highest role that any grant gives; null where there is none. Names are hidden only where no grant shows them. */
export function findAccess(person: Identity, tenant: string, grants: readonly Grant[]): Access | null {
  const given = grants.filter((grant) => isFor(grant, person) && (grant.tenants?.includes(tenant) ?? true));
  const role = ROLES.findLast((one) => given.some((grant) => grant.role === one));
  return role === undefined ? null : { role, pseudonyms: given.every(({ pseudonyms }) => pseudonyms) };
}

/** Whether the role is the least that is asked for, or more. */
export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** Whether roles of this person may be missing only because the identity provider sent no groups. */
export function isRoleUnknown({ unknownGroups }: Identity, grants: readonly Grant[]): boolean {
  return unknownGroups !== undefined && grants.some(({ groups }) => groups.length > 0);
}

function isFor({ who, groups }: Grant, person: Identity): boolean {
  return who.some((one) => foldIdentity(one) === person.who) || groups.some((group) => person.groups.includes(group));
}
