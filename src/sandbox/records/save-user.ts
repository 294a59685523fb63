import { BASE_ROLES, EXTRA_ROLES } from '../../model/fields.js';
import { isJsonObject } from '../../model/json.js';
import type { World } from '../account/world.js';
import { emptyFields, USER_FIELDS } from '../fields/plain-fields.js';
import { Refusal } from '../fields/refusal.js';
import type { MailDocument, UserDocument } from '../store/documents.js';
import { createId, emailKey } from '../store/store.js';
import { nextCvStamp, readMasterCv, removeCv } from './cvs.js';
import { removeUserFiles } from './pictures.js';

/** Fields that update `profile_updated_at` when they change (spec, User). */
const PROFILE_FIELDS = [
  ...(Object.keys(USER_FIELDS) as (keyof typeof USER_FIELDS)[]),
  'name',
  'name_multilang',
  'email',
  'place_of_residence',
  'twitter',
  'override_language_code',
  'office_id',
  'custom_tag_ids',
  'image_id',
] as const satisfies readonly (keyof UserDocument)[];

type Stamps = 'created_at' | 'updated_at' | 'profile_updated_at' | 'profile_shown_at';
export type UserDraft = Omit<UserDocument, Stamps>;

/** SQL condition for users who have a scope. */
export const MANAGES = "instr(roles, ' departmentmanager ') > 0";

export function buildUserDraft(place: { readonly office_id: string; readonly country_id: string }): UserDraft {
  return {
    id: createId(),
    email: '',
    ...emptyFields(USER_FIELDS),
    name: '',
    name_multilang: {},
    place_of_residence: null,
    twitter: null,
    override_language_code: null,
    default_cv_id: createId(),
    deactivated_at: null,
    role: 'consultant',
    extra_roles: [],
    role_allowed_office_ids: [],
    role_allowed_tag_ids: [],
    ...place,
    custom_tag_ids: [],
  };
}

export function createUser(world: World, draft: UserDraft): UserDocument {
  validateUser(world, draft, undefined);
  const now = world.clock.now();
  const profile_updated_at = Math.floor(now / 1000);
  return world.store.users.put({
    ...draft,
    created_at: now,
    updated_at: now,
    profile_updated_at,
    profile_shown_at: now,
  });
}

/** Stores the changed fields. If none has changed, no timestamp changes. */
export function updateUser(
  world: World,
  before: UserDocument,
  patch: Partial<UserDraft>,
  origin: 'call' | 'import' = 'call',
): UserDocument {
  validateUser(world, { ...before, ...patch }, before, origin);
  return putChanged(world, before, patch);
}

/** Removes a deleted tag or office from a user. The rest of the user is not validated. */
export function putChanged(world: World, before: UserDocument, patch: Partial<UserDraft>): UserDocument {
  const draft: UserDocument = { ...before, ...patch };
  const fields = Object.keys(patch) as (keyof UserDraft)[];
  const changed = fields.filter((field) => !isSame(before[field], draft[field]));
  if (changed.length === 0) return before;
  const now = world.clock.now();
  const moved = PROFILE_FIELDS.some((field) => changed.includes(field));
  const stamps = moved
    ? {
        profile_updated_at: Math.floor(now / 1000),
        profile_shown_at: nextCvStamp(world, { user: before, cv: readMasterCv(world, before) }),
      }
    : {};
  return world.store.users.put({ ...draft, updated_at: now, ...stamps });
}

/** Records an e-mail that the service would send. `/__sandbox/mails` lists these e-mails. */
export function recordMail(world: World, to: string, reason: MailDocument['reason']): void {
  world.store.mails.put({ id: createId(), to, reason, at: world.clock.now() });
}

/** Checks the rules that apply to users however they are written: by the API or by CSV import. */
function validateUser(
  world: World,
  draft: UserDraft,
  before: UserDocument | undefined,
  origin: 'call' | 'import' = 'call',
): void {
  const problems = [...listTaken(world, draft, before), ...listForeign(world, draft, before, origin)];
  if (problems.length > 0) throw new Refusal(422, problems[0] ?? '', { errors: problems });
}

function isEmailNew(draft: UserDraft, before: UserDocument | undefined): boolean {
  return before === undefined || emailKey(before.email) !== emailKey(draft.email);
}

function* listTaken({ store }: World, draft: UserDraft, before: UserDocument | undefined): Iterable<string> {
  if (draft.email.trim() === '') yield "Email can't be blank";
  if (
    isEmailNew(draft, before) &&
    findOther(store.users.find('WHERE email_key = ?', [emailKey(draft.email)]), draft.id)
  ) {
    yield 'Email has already been taken';
  }
  const external = draft.external_unique_id;
  if (external !== null && external !== before?.external_unique_id) {
    const holders = store.users.find('WHERE external_unique_id = ?', [external]);
    if (findOther(holders, draft.id)) yield 'External unique id has already been taken';
  }
}

function* listForeign(
  world: World,
  draft: UserDraft,
  before: UserDocument | undefined,
  origin: 'call' | 'import',
): Iterable<string> {
  if (draft.role === 'external') return;
  // External users are exempt. The exemption ends when they become normal users (spec, User; Create rules). The exception is a
  // CSV file, which promotes matched people (spec, CSV import, Processing).
  const isExemptionOver = origin === 'call' && before?.role === 'external';
  const isEmailChecked = isEmailNew(draft, before) || isExemptionOver;
  if (draft.email !== '' && isEmailChecked && !isWhitelisted(world, draft.email))
    yield 'Email domain is not whitelisted';
  const isUpnChecked = draft.upn !== null && (draft.upn !== before?.upn || isExemptionOver);
  if (isUpnChecked && draft.upn?.includes('@') && !isWhitelisted(world, draft.upn))
    yield 'UPN domain is not whitelisted';
}

/** True if the entire domain is listed: `mail.example.com` and `example.com.evil` do not match `example.com`. */
function isWhitelisted(world: World, address: string): boolean {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  return address.includes('@') && world.account.whitelisted_domains.some((listed) => listed.toLowerCase() === domain);
}

function findOther(users: readonly UserDocument[], id: string): UserDocument | undefined {
  return users.find((user) => user.id !== id);
}

export interface RoleChange {
  readonly role: string;
  readonly extra_roles: readonly string[];
}

/** Splits roles into a base role and extra roles. An extra role that is given as `role` implies consultant. */
export function resolveRoles(
  role: string | undefined,
  extras: readonly string[] | undefined,
  before: RoleChange,
): RoleChange {
  const named = role === undefined ? [] : [role];
  const unknown = [...named, ...(extras ?? [])].find((word) => !isBaseRole(word) && !isExtraRole(word));
  if (unknown !== undefined) throw new Refusal(422, `Role ${unknown} is not known`);
  const asked = [...named.filter(isExtraRole), ...(extras ?? [])];
  const base = baseOf(role) ?? before.role;
  const wrong = asked.find((word) => !isExtraRole(word));
  if (wrong !== undefined) throw new Refusal(422, `Role ${wrong} is not an extra role`);
  if (base !== 'consultant') {
    // Extra roles require consultant (spec, Authentication 3), so changing to another base role removes them.
    if (asked.length > 0) throw new Refusal(422, `Extra roles need the base role consultant, not ${base}`);
    return { role: base, extra_roles: [] };
  }
  const extra_roles = extras === undefined && asked.length === 0 ? before.extra_roles : [...new Set(asked)];
  return { role: base, extra_roles };
}

/** Returns the base role; for an extra role this is consultant. */
function baseOf(role: string | undefined): string | undefined {
  return role === undefined || isBaseRole(role) ? role : 'consultant';
}

function isBaseRole(word: string): boolean {
  return BASE_ROLES.some((role) => role === word);
}

function isExtraRole(word: string): boolean {
  return EXTRA_ROLES.some((role) => role === word);
}

function isSame(before: unknown, after: unknown): boolean {
  return before === after || JSON.stringify(sortKeys(before)) === JSON.stringify(sortKeys(after));
}

/** Sorts the keys, so that the order of languages does not matter. */
function sortKeys(value: unknown): unknown {
  return isJsonObject(value) ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)) : value;
}

/** Deletes a user permanently, together with all references to them. */
export function removeUser(world: World, user: UserDocument): void {
  const { users, cvs, projects } = world.store;
  const { id } = user;
  removeUserFiles(world, user, cvs.get(user.default_cv_id));
  users.delete(id);
  for (const cv of cvs.find('WHERE user_id = ?', [id])) removeCv(world, cv.id);
  for (const project of projects.find('WHERE instr(body, ?) > 0', [`"${id}"`])) {
    projects.put({ ...project, owner_ids: project.owner_ids.filter((owner) => owner !== id) });
  }
}
