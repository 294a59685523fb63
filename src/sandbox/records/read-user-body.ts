import { isJsonObject } from '../../model/json.js';
import type { World } from '../account/world.js';
import { requireUnlocked } from '../calls/access.js';
import type { Call } from '../calls/call.js';
import { readFields, USER_FIELDS } from '../fields/plain-fields.js';
import { refuse } from '../fields/refusal.js';
import { type Body, readBoolean, readString, readStrings } from '../fields/values.js';
import type { UserDocument } from '../store/documents.js';
import { resolveRoles, type UserDraft } from './save-user.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Reads the changes in a create or update body, except the place. A body cannot set the user fields `place_of_residence`,
 * `name_multilang`, `twitter` and `override_language_code`; like unknown attributes, they are ignored.
 */
export function readUserChanges(call: Call, body: Body, before: UserDraft): Partial<UserDraft> {
  const changes: Mutable<Partial<UserDraft>> = { ...readFields(USER_FIELDS, body, call.mode, before) };
  const email = readString(body, 'email');
  if (email !== undefined) changes.email = (email ?? '').trim();
  const name = readString(body, 'name');
  if (name !== undefined) changes.name = name ?? '';
  return { ...changes, ...readRoleChanges(call.world, body, before), ...readTagChanges(call, body, before) };
}

export function readActivation(world: World, body: Body, before: UserDocument): Partial<UserDraft> {
  const deactivated = readBoolean(body, 'deactivated');
  if (deactivated === undefined || deactivated === (before.deactivated_at !== null)) return {};
  return { deactivated_at: deactivated ? world.clock.now() : null };
}

/**
 * Reads the roles. A departmentmanager needs their scope in the same request, even if the role does not change (spec, Update
 * rules).
 */
function readRoleChanges(world: World, body: Body, before: UserDraft): Partial<UserDraft> {
  const role = readString(body, 'role') ?? undefined;
  const extras = readStrings(body, 'extra_roles');
  const offices = readStrings(body, 'role_allowed_office_ids');
  const tags = readStrings(body, 'role_allowed_tag_ids');
  checkScope(world, offices ?? [], tags ?? []);
  const roles = resolveRoles(role, extras, before);
  const isManager = roles.extra_roles.includes('departmentmanager');
  const isNamed = role === 'departmentmanager' || extras?.includes('departmentmanager') === true;
  if (isNamed && (offices ?? []).length + (tags ?? []).length === 0) {
    refuse(422, 'departmentmanager needs role_allowed_office_ids or role_allowed_tag_ids in the same request');
  }
  if (!isManager) return { ...roles, role_allowed_office_ids: [], role_allowed_tag_ids: [] };
  return {
    ...roles,
    role_allowed_office_ids: offices ?? before.role_allowed_office_ids,
    role_allowed_tag_ids: tags ?? before.role_allowed_tag_ids,
  };
}

function checkScope({ store }: World, offices: readonly string[], tags: readonly string[]): void {
  const office = offices.find((id) => !store.offices.get(id));
  if (office !== undefined) refuse(404, `office ${office} of role_allowed_office_ids is not in the account`);
  const tag = tags.find((id) => !store.tags.get(id));
  if (tag !== undefined) refuse(400, `custom tag ${tag} of role_allowed_tag_ids is not known`);
}

/**
 * Reads the tags. Each one is added and replaces the other tags of its category; unknown ids are 400 (spec, Create user body;
 * Update rules).
 */
function readTagChanges(call: Call, body: Body, before: UserDraft): Partial<UserDraft> {
  const { world } = call;
  const asked = body.ensure_unique_custom_tag_ids_by_category;
  if (asked === undefined || asked === null) return {};
  if (!isJsonObject(asked)) refuse(400, 'ensure_unique_custom_tag_ids_by_category must be an object');
  let ids = before.custom_tag_ids;
  for (const [categoryId, tagId] of Object.entries(asked)) {
    const tag = typeof tagId === 'string' ? world.store.tags.get(tagId) : undefined;
    const category = world.store.categories.get(categoryId);
    if (!category) refuse(400, `custom tag category ${categoryId} is not known`);
    requireUnlocked(call, category);
    if (tag?.category_id !== categoryId) refuse(400, `custom tag ${String(tagId)} is not in category ${categoryId}`);
    ids = setUniqueTag(world, ids, categoryId, tag.id);
  }
  return { custom_tag_ids: ids };
}

export function setUniqueTag(
  world: World,
  ids: readonly string[],
  categoryId: string,
  tagId: string,
): readonly string[] {
  const others = ids.filter((id) => id !== tagId && world.store.tags.get(id)?.category_id !== categoryId);
  return ids.includes(tagId) && others.length === ids.length - 1 ? ids : [...others, tagId];
}
