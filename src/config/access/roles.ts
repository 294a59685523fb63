import { foldIdentity, type Identity } from './identity.js';

/** From the least to the most powerful. If a person has several roles, pages show the last one. */
export const ROLES = ['previewer', 'viewer', 'privacy', 'approver', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** Role → the roles whose pages it may use. The table is complete: a role does not include others indirectly. */
const MAY_ACT_AS: Readonly<Record<Role, readonly Role[]>> = {
  previewer: ['previewer'],
  viewer: ['viewer'],
  privacy: ['viewer', 'privacy'],
  approver: ['viewer', 'approver'],
  operator: ['previewer', 'viewer', 'approver', 'operator'],
};

/** A role that is granted to some people for some tenants. */
export interface Grant {
  readonly role: Role;
  readonly who: readonly string[];
  readonly groups: readonly string[];
  /** null for all tenants. */
  readonly tenants: readonly string[] | null;
  /** True if the tenant's people are shown under pseudonyms. */
  readonly pseudonyms: boolean;
}

/** The access that one person has to one tenant. */
export interface Access {
  /** Roles from all grants, in the order of `ROLES`. */
  readonly roles: readonly Role[];
  readonly pseudonyms: boolean;
}

/**
 * Returns the person's access to a tenant; null if no grant gives a role. Names are hidden unless a grant with viewing rights
 * shows them.
 */
export function findAccess(person: Identity, tenant: string, grants: readonly Grant[]): Access | null {
  const given = grants.filter((grant) => isFor(grant, person) && (grant.tenants?.includes(tenant) ?? true));
  const roles = ROLES.filter((one) => given.some((grant) => grant.role === one));
  const looking = given.filter(({ role }) => MAY_ACT_AS[role].includes('viewer'));
  const showing = looking.length === 0 ? given : looking;
  return roles.length === 0 ? null : { roles, pseudonyms: showing.every(({ pseudonyms }) => pseudonyms) };
}

/** True if the person may use the pages of a role. */
export function mayActAs(access: Pick<Access, 'roles'> | null, role: Role): boolean {
  return access?.roles.some((one) => MAY_ACT_AS[one].includes(role)) === true;
}

/** True if the person may lack a role only because the identity provider sent no groups. */
export function isRoleUnknown({ unknownGroups }: Identity, grants: readonly Grant[]): boolean {
  return unknownGroups !== undefined && grants.some(({ groups }) => groups.length > 0);
}

function isFor({ who, groups }: Grant, person: Identity): boolean {
  return who.some((one) => foldIdentity(one) === person.who) || groups.some((group) => person.groups.includes(group));
}
