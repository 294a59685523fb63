import { foldIdentity, type Identity } from './identity.js';

/** From the least to the most powerful. People are called by the last of their roles. */
export const ROLES = ['previewer', 'viewer', 'privacy', 'approver', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** Role → roles whose pages it may use. Roles that are not listed are not included. */
const MAY_ACT_AS: Readonly<Record<Role, readonly Role[]>> = {
  previewer: ['previewer'],
  viewer: ['viewer'],
  privacy: ['viewer', 'privacy'],
  approver: ['viewer', 'approver'],
  operator: ['previewer', 'viewer', 'approver', 'operator'],
};

/** A role for some people, for some tenants. */
export interface Grant {
  readonly role: Role;
  readonly who: readonly string[];
  readonly groups: readonly string[];
  /** null for all tenants. */
  readonly tenants: readonly string[] | null;
  /** People of the tenant appear under pseudonyms. */
  readonly pseudonyms: boolean;
}

/** The access of one person to one tenant. */
export interface Access {
  /** Roles from all grants, the most powerful last. */
  readonly roles: readonly Role[];
  readonly pseudonyms: boolean;
}

/** Returns null if no grant gives a role. Names are hidden unless a grant with viewing rights shows them. */
export function findAccess(person: Identity, tenant: string, grants: readonly Grant[]): Access | null {
  const given = grants.filter((grant) => isFor(grant, person) && (grant.tenants?.includes(tenant) ?? true));
  const roles = ROLES.filter((one) => given.some((grant) => grant.role === one));
  const looking = given.filter(({ role }) => MAY_ACT_AS[role].includes('viewer'));
  const showing = looking.length === 0 ? given : looking;
  return roles.length === 0 ? null : { roles, pseudonyms: showing.every(({ pseudonyms }) => pseudonyms) };
}

/** True if the person may use what is open to a role. */
export function mayActAs(access: Pick<Access, 'roles'> | null, role: Role): boolean {
  return access?.roles.some((one) => MAY_ACT_AS[one].includes(role)) === true;
}

/** True if roles of this person may be missing only because the identity provider sent no groups. */
export function isRoleUnknown({ unknownGroups }: Identity, grants: readonly Grant[]): boolean {
  return unknownGroups !== undefined && grants.some(({ groups }) => groups.length > 0);
}

function isFor({ who, groups }: Grant, person: Identity): boolean {
  return who.some((one) => foldIdentity(one) === person.who) || groups.some((group) => person.groups.includes(group));
}
