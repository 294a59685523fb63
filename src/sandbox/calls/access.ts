import { sha256 } from '../../model/sha256.js';
import { KeySettings } from '../account/account-settings.js';
import type { World } from '../account/world.js';
import { refuse } from '../fields/refusal.js';
import type { CategoryDocument, PartyDocument, ProposalDocument, UserDocument } from '../store/documents.js';
import type { ProjectDocument } from '../store/project-documents.js';
import type { Call } from './call.js';

/** An administrator who needs no key of the account: requests without an Authorization header are made as this person. */
export const OTHER_HANDS = KeySettings.parse({ key: 'other hands', name: 'Other hands', role: 'internationalmanager' });

/** True for an administrator (spec, Authentication 3 and 4). A key acts for the account, or for the user that it names. */
export function isAdministrator(key: KeySettings): boolean {
  return key.role === 'internationalmanager';
}

export function isReadOnly(key: KeySettings): boolean {
  return key.role === 'readonly_internationalmanager' || key.role === 'readonly_proposal';
}

/** True if the key can read everything, as an administrator does. */
export function canSeeAll(key: KeySettings): boolean {
  return isAdministrator(key) || key.role === 'readonly_internationalmanager';
}

/**
 * Returns the access token that collaborators of a proposal see for a key. Anyone who can read the proposal sees it, so a key
 * that can read everything gets a digest, which grants no access.
 */
export function readAccessToken(key: KeySettings): string {
  if (!canSeeAll(key)) return key.key;
  return sha256(`access token ${key.key}`);
}

/** Returns the id of a key as a party of proposals. It does not change between starts and does not reveal the key. */
export function keyId(key: KeySettings): string {
  return sha256(`api user ${key.key}`).slice(0, 24);
}

/** Finds a party by name: a user by e-mail, or an API user by the name of the key. */
export function findParty({ store, keys }: World, name: string): PartyDocument | undefined {
  const user = store.findUser(name);
  if (user) return { type: 'user', id: user.id };
  const key = [...keys.values()].find((one) => one.name === name);
  return key && { type: 'api_user', id: keyId(key) };
}

export function readParty(call: Call): PartyDocument {
  return call.userId === undefined ? { type: 'api_user', id: keyId(call.key) } : { type: 'user', id: call.userId };
}

/** True if the caller is the owner or a collaborator of the proposal. */
export function isParty(call: Call, proposal: ProposalDocument): boolean {
  const self = readParty(call);
  return [proposal.owner, ...proposal.collaborators].some(({ type, id }) => type === self.type && id === self.id);
}

export function requireAdministrator(key: KeySettings): void {
  if (!isAdministrator(key)) refuse(403, 'this needs a key with the internationalmanager role');
}

/**
 * Requires write access to people and offices of a country. Administrators have it in all countries, a countrymanager in their
 * own country.
 */
export function requireCountry(call: Call, countryId: string): void {
  if (isAdministrator(call.key) || isOwnCountry(call, countryId)) return;
  refuse(403, 'this key has no write access in that country');
}

/** Requires an administrator for changes to an administrator and for granting that role. */
export function requireRank(key: KeySettings, roles: readonly (string | undefined)[]): void {
  if (isAdministrator(key) || !roles.includes('internationalmanager')) return;
  refuse(403, 'only a key with the internationalmanager role may assign it, or change a user who has it');
}

function isOwnCountry(call: Call, countryId: string): boolean {
  const country = call.world.store.countries.get(countryId);
  return call.key.role === 'countrymanager' && country !== undefined && ownCountryOf(call) === country.code;
}

export function userOf({ world, userId }: Call): UserDocument | undefined {
  return userId === undefined ? undefined : world.store.users.get(userId);
}

/** Returns the code of the key's country, or else of its user's country. */
export function ownCountryOf(call: Call): string | undefined {
  return call.key.country ?? call.world.store.countries.get(userOf(call)?.country_id ?? '')?.code;
}

/** Returns the id of the key's office, or else of its user's office. */
export function ownOfficeOf(call: Call): string | undefined {
  const { office: wanted } = call.key;
  if (wanted === undefined) return userOf(call)?.office_id;
  const country = call.world.store.countries.first('WHERE code = ?', [wanted.country]);
  return call.world.store.offices.first('WHERE country_id = ? AND name = ?', [country?.id ?? '', wanted.name])?.id;
}

/** Requires write access to customers and the permission to create reference projects (spec, Project rules 1). */
export function requireReferenceManager(key: KeySettings): void {
  if (isAdministrator(key) || key.role === 'referencemanager') return;
  refuse(403, 'this needs a key with the referencemanager or internationalmanager role');
}

/** True if an office is in the scope of a departmentmanager, which consists of the offices of the key and those of its user. */
function isManagedOffice(call: Call, officeId: string): boolean {
  const { countries, offices } = call.world.store;
  if (userOf(call)?.role_allowed_office_ids.includes(officeId)) return true;
  const office = offices.get(officeId);
  const code = office && countries.get(office.country_id)?.code;
  return call.key.offices.some((scope) => scope.name === office?.name && scope.country === code);
}

function isManagedTag(call: Call, tagId: string): boolean {
  const { tags } = call.world.store;
  const isOfUser = userOf(call)?.role_allowed_tag_ids.includes(tagId) ?? false;
  return isOfUser || call.key.tags.includes(tags.get(tagId)?.external_unique_id ?? '');
}

/** True if one of a record's offices or tags is in the scope of the key. */
function isManaged(call: Call, officeIds: readonly string[], tagIds: readonly string[]): boolean {
  if (call.key.role !== 'departmentmanager') return false;
  return officeIds.some((id) => isManagedOffice(call, id)) || tagIds.some((id) => isManagedTag(call, id));
}

/** True if the caller may read a CV. All roles except external and limited_access may read the CVs of others. */
export function canReadCv(call: Call, user: UserDocument): boolean {
  return (call.key.role !== 'external' && call.key.role !== 'limited_access') || call.userId === user.id;
}

export function canWriteCv(call: Call, user: UserDocument): boolean {
  const { key } = call;
  if (isReadOnly(key)) return false;
  if (isAdministrator(key) || call.userId === user.id) return true;
  if (isOwnCountry(call, user.country_id)) return true;
  return isManaged(call, [user.office_id], user.custom_tag_ids);
}

/** True if the caller owns the project. Owners may edit their projects without a special role (spec, Project rules 1). */
function isOwner({ userId }: Call, project: ProjectDocument): boolean {
  return userId !== undefined && project.owner_ids.includes(userId);
}

/**
 * True if the caller may read a project. Drafts and projects in review have fewer readers (spec, Reference project
 * workflow_stage, Readability).
 */
export function canReadProject(call: Call, project: ProjectDocument): boolean {
  const { key } = call;
  if (isOwner(call, project)) return true;
  if (project.workflow_stage === 'live') return key.role !== 'external';
  const isReader = canSeeAll(key) || key.role === 'referencemanager' || key.role === 'countrymanager';
  return isReader || isManaged(call, project.office_ids, []);
}

/** Rejects with 403 if the project exists but this key may not read it (spec, Errors). */
export function requireReadableProject(call: Call, project: ProjectDocument): void {
  if (!canReadProject(call, project)) refuse(403, 'this key may not read the project');
}

export function requireProjectEditor(call: Call, project: ProjectDocument): void {
  if (isAdministrator(call.key) || call.key.role === 'referencemanager') return;
  if (isOwner(call, project) || isManaged(call, project.office_ids, project.custom_tag_ids)) return;
  refuse(403, 'this needs the referencemanager or internationalmanager role, or to own the project');
}

/** Requires the permission to publish. Owners whose only role is consultant or limited_access lack it (spec, States). */
export function requirePublisher(key: KeySettings): void {
  if (!['consultant', 'limited_access', 'external'].includes(key.role)) return;
  refuse(403, 'making a project live needs the publish permission');
}

/** Requires an API user or an administrator for changes to the tags of a locked category (spec, List rules). */
export function requireUnlocked(call: Call, category: CategoryDocument | undefined): void {
  if (!category?.lock_for_integrations || call.userId === undefined || isAdministrator(call.key)) return;
  refuse(403, 'the custom tag category is locked for integrations');
}
