import { compareTexts } from '../../model/compare-texts.js';
import { requireAdministrator } from '../access.js';
import { touchCv } from '../cvs.js';
import type { CategoryDocument, TagDocument } from '../documents.js';
import { type CodeMode, foldText, pickText, readLanguageCode } from '../languages.js';
import { CATEGORY_FIELDS, readFields } from '../plain-fields.js';
import { renderCategoryFields, renderTag } from '../render-tags.js';
import { languageOf } from '../render-user.js';
import { type Answer, type Call, NO_CONTENT, Refusal, type Route, type World } from '../route.js';
import { MANAGES, putChanged } from '../save-user.js';
import { createId } from '../store.js';
import { isBody, readListParameter, readParameter, readTexts, readWrapper } from '../values.js';

const BASE = '/api/v1/masterdata/custom_tags/custom_tag_category';

export const TAG_CATEGORY_ROUTES: readonly Route[] = [
  { method: 'GET', path: BASE, access: 'read', handle: listCategories },
  { method: 'POST', path: BASE, access: 'write', handle: postCategory },
  { method: 'PUT', path: `${BASE}/:category_id`, access: 'write', handle: putCategory },
  { method: 'DELETE', path: `${BASE}/:category_id`, access: 'write', handle: deleteCategory },
  { method: 'DELETE', path: `${BASE}/:category_id/bulk_delete`, access: 'write', handle: deleteTags },
];

/** The language that a list is sorted by: the parameter, else the user's, else the account's first. */
export function readSortLanguage(world: World, call: Call): string {
  const asked = readLanguageCode(readParameter(call.query, 'language_code') ?? '', call.mode);
  const user = call.userId === undefined ? undefined : world.store.users.get(call.userId);
  return asked ?? (user && languageOf(world, user)) ?? world.account.languages[0] ?? 'en';
}

export function sortByText<T extends CategoryDocument | TagDocument>(items: readonly T[], language: string): T[] {
  const keyed = items.map((item) => ({ item, key: foldText(pickText(item.values, language)) }));
  keyed.sort((a, b) => compareTexts(a.key, b.key) || compareTexts(a.item.id, b.item.id));
  return keyed.map(({ item }) => item);
}

function renderCategory(world: World, category: CategoryDocument, mode: CodeMode, language: string): object {
  const tags = sortByText(world.store.tags.find('WHERE category_id = ?', [category.id]), language);
  return { ...renderCategoryFields(category, mode), custom_tags: tags.map((tag) => renderTag(tag, mode)) };
}

function listCategories(world: World, call: Call): Answer {
  const language = readSortLanguage(world, call);
  const categories = sortByText(world.store.categories.all(), language);
  return { status: 200, body: categories.map((category) => renderCategory(world, category, call.mode, language)) };
}

function postCategory(world: World, call: Call): Answer {
  requireAdministrator(call.key);
  const body = readWrapper(call, 'masterdata');
  const values = readTexts(body, 'values', call.mode);
  // Required, but it may be empty (spec, category create).
  if (values === undefined) throw new Refusal(422, "Values can't be blank");
  const fields = readFields(CATEGORY_FIELDS, body, call.mode, undefined);
  checkExternalId(world, fields.external_unique_id, undefined);
  const category = world.store.categories.put({ id: createId(), values, ...fields });
  return { status: 200, body: renderCategory(world, category, call.mode, readSortLanguage(world, call)) };
}

/** `allow_filtering` and `lock_for_integrations` are taken on create only: here they are unknown attributes. */
function putCategory(world: World, call: Call): Answer {
  requireAdministrator(call.key);
  const body = readWrapper(call, 'masterdata');
  const before = world.store.categories.get(call.params.category_id ?? '');
  if (!before) throw new Refusal(404, 'custom tag category not found');
  const fields = readFields(CATEGORY_FIELDS, body, call.mode, before);
  checkExternalId(world, fields.external_unique_id, before.id);
  const values = readTexts(body, 'values', call.mode) ?? before.values;
  const category = world.store.categories.put({ ...before, values, ...fields });
  return { status: 200, body: renderCategory(world, category, call.mode, readSortLanguage(world, call)) };
}

function checkExternalId(world: World, external: string | null, ownId: string | undefined): void {
  if (external === null) return;
  const holder = world.store.categories.first('WHERE external_unique_id = ?', [external]);
  if (holder && holder.id !== ownId) throw new Refusal(422, 'External unique id has already been taken');
}

/** An unknown, deleted or malformed id is a 500 here (spec, List rules and Errors). */
function deleteCategory(world: World, call: Call): Answer {
  requireAdministrator(call.key);
  const category = world.store.categories.get(call.params.category_id ?? '');
  if (!category) throw new Refusal(500, 'internal server error');
  const tags = world.store.tags.find('WHERE category_id = ?', [category.id]);
  removeTags(world, new Set(tags.map((tag) => tag.id)));
  world.store.categories.delete(category.id);
  return NO_CONTENT;
}

/** All or nothing: one tag that is not in the category refuses the whole request. */
function deleteTags(world: World, call: Call): Answer {
  requireAdministrator(call.key);
  const category = world.store.categories.get(call.params.category_id ?? '');
  if (!category) throw new Refusal(400, 'invalid custom tag category');
  const inBody = isBody(call.body) && Array.isArray(call.body.tag_ids) ? call.body.tag_ids.map(String) : [];
  const ids = [...readListParameter(call.query, 'tag_ids'), ...inBody];
  if (ids.length === 0) throw new Refusal(400, 'tag_ids must name at least one tag');
  const stranger = ids.find((id) => world.store.tags.get(id)?.category_id !== category.id);
  if (stranger !== undefined) throw new Refusal(400, `custom tag ${stranger} is not in the category`);
  removeTags(world, new Set(ids));
  return NO_CONTENT;
}

/**
 * Deletes tags with their associations, the scopes of departmentmanagers included; to a user a tag less is a changed tag
 * assignment, which moves the feed's stamp, and a scope that shrinks is not.
 */
export function removeTags(world: World, ids: ReadonlySet<string>): void {
  const { store } = world;
  const keep = (tagIds: readonly string[]): readonly string[] => tagIds.filter((id) => !ids.has(id));
  const isHit = (tagIds: readonly string[]): boolean => tagIds.some((id) => ids.has(id));
  for (const user of store.users.find(`WHERE has_tags = 1 OR ${MANAGES}`)) {
    if (!isHit(user.custom_tag_ids) && !isHit(user.role_allowed_tag_ids)) continue;
    putChanged(world, user, {
      custom_tag_ids: keep(user.custom_tag_ids),
      role_allowed_tag_ids: keep(user.role_allowed_tag_ids),
    });
  }
  for (const cv of store.cvs.find('WHERE has_tags = 1')) {
    if (isHit(cv.custom_tag_ids)) touchCv(world, { ...cv, custom_tag_ids: keep(cv.custom_tag_ids) });
  }
  for (const customer of store.customers.all()) {
    if (isHit(customer.custom_tag_ids))
      store.customers.put({ ...customer, custom_tag_ids: keep(customer.custom_tag_ids) });
  }
  for (const project of store.projects.all()) {
    if (isHit(project.custom_tag_ids)) store.projects.put({ ...project, custom_tag_ids: keep(project.custom_tag_ids) });
  }
  for (const id of ids) store.tags.delete(id);
}
