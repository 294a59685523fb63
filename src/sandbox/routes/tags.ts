import type { World } from '../account/world.js';
import { renderCategoryFields, renderTag } from '../answers/render-tags.js';
import { requireAdministrator } from '../calls/access.js';
import type { Call } from '../calls/call.js';
import { CATEGORY_FIELDS, readFields } from '../fields/plain-fields.js';
import { refuse } from '../fields/refusal.js';
import {
  type Body,
  bodyOf,
  readListParameter,
  readRequiredTexts,
  readString,
  readTexts,
  readWrapper,
} from '../fields/values.js';
import { touchCv } from '../records/cvs.js';
import { MANAGES, putChanged } from '../records/save-user.js';
import type { CategoryDocument, TagDocument } from '../store/documents.js';
import { createId } from '../store/store.js';
import { pageByText, readSortLanguage, sortByText } from './masterdata.js';
import { checkExternalId, type Resource } from './resource.js';

function renderCategory(call: Call, category: CategoryDocument): object {
  const tags = sortByText(listTagsOf(call, category), readSortLanguage(call));
  const custom_tags = tags.map((tag) => renderTag(tag, call.mode));
  return { ...renderCategoryFields(category, call.mode), custom_tags };
}

function listTagsOf({ world }: Call, { id }: CategoryDocument): TagDocument[] {
  return world.store.tags.find('WHERE category_id = ?', [id]);
}

export function listCategories(call: Call): readonly object[] {
  const categories = sortByText(call.world.store.categories.all(), readSortLanguage(call));
  return categories.map((category) => renderCategory(call, category));
}

function findCategory({ world, params }: Call): CategoryDocument | undefined {
  return world.store.categories.get(params.category_id);
}

export const CATEGORIES: Resource<void, CategoryDocument> = {
  wrapper: 'masterdata',
  // As for tags, the wrapper of the body is checked before the record is looked up.
  place: (call) => {
    requireAdministrator(call.key);
    readWrapper(call, 'masterdata');
  },
  find: (call) => findCategory(call) ?? refuse(404, 'custom tag category not found'),
  render: renderCategory,
  save: ({ world, mode }, _, body, before) => {
    const { categories } = world.store;
    // The field is required on create, but may be empty (spec, category create).
    const values = before ? before.values : (readTexts(body, 'values', mode) ?? refuse(422, "Values can't be blank"));
    const fields = readFields(CATEGORY_FIELDS, body, mode, before);
    checkExternalId(categories, fields.external_unique_id, before?.id);
    return categories.put({
      id: before?.id ?? createId(),
      ...fields,
      values: readTexts(body, 'values', mode) ?? values,
    });
  },
};

/** Deletes a category. An unknown, deleted or malformed id is a 500 here (spec, List rules and Errors). */
export function deleteCategory(call: Call): undefined {
  requireAdministrator(call.key);
  const category = findCategory(call) ?? refuse(500, 'internal server error');
  removeTags(call.world, new Set(listTagsOf(call, category).map((tag) => tag.id)));
  call.world.store.categories.delete(category.id);
}

/** Deletes all tags or none. A tag of another category rejects the entire request. */
export function deleteTags(call: Call): undefined {
  requireAdministrator(call.key);
  const category = findCategory(call) ?? refuse(400, 'invalid custom tag category');
  const { tag_ids: sent } = bodyOf(call);
  const ids = [...readListParameter(call.query, 'tag_ids'), ...(Array.isArray(sent) ? sent.map(String) : [])];
  if (ids.length === 0) refuse(400, 'tag_ids must name at least one tag');
  const stranger = ids.find((id) => call.world.store.tags.get(id)?.category_id !== category.id);
  if (stranger !== undefined) refuse(400, `custom tag ${stranger} is not in the category`);
  removeTags(call.world, new Set(ids));
}

/**
 * Deletes tags and their associations, including scopes of departmentmanagers. A user who loses a tag gets a new timestamp in
 * the feed; a user who only loses part of the scope does not.
 */
function removeTags(world: World, ids: ReadonlySet<string>): void {
  const { users, cvs, customers, projects, tags } = world.store;
  const keep = (tagIds: readonly string[]): readonly string[] => tagIds.filter((id) => !ids.has(id));
  const isHit = (tagIds: readonly string[]): boolean => tagIds.some((id) => ids.has(id));
  for (const user of users.find(`WHERE has_tags = 1 OR ${MANAGES}`)) {
    if (!isHit(user.custom_tag_ids) && !isHit(user.role_allowed_tag_ids)) continue;
    putChanged(world, user, {
      custom_tag_ids: keep(user.custom_tag_ids),
      role_allowed_tag_ids: keep(user.role_allowed_tag_ids),
    });
  }
  for (const cv of cvs.find('WHERE has_tags = 1')) {
    if (isHit(cv.custom_tag_ids)) touchCv(world, { ...cv, custom_tag_ids: keep(cv.custom_tag_ids) });
  }
  for (const customer of customers.all()) {
    const { custom_tag_ids } = customer;
    if (isHit(custom_tag_ids)) customers.put({ ...customer, custom_tag_ids: keep(custom_tag_ids) });
  }
  for (const project of projects.all()) {
    const { custom_tag_ids } = project;
    if (isHit(custom_tag_ids)) projects.put({ ...project, custom_tag_ids: keep(custom_tag_ids) });
  }
  for (const id of ids) tags.delete(id);
}

/** Lists tags. A missing or unknown category gives an empty list and is not an error (spec, List rules). */
export function listTags(call: Call): readonly object[] {
  const categoryId = readListParameter(call.query, 'category_ids')[0] ?? '';
  const tags = call.world.store.tags.find('WHERE category_id = ?', [categoryId]);
  return pageByText(call, tags, 100).map((tag) => renderTag(tag, call.mode));
}

function requireTag({ world, params }: Call): TagDocument {
  return world.store.tags.get(params.tag_id) ?? refuse(404, 'custom tag not found');
}

/** A missing wrapper on create is a 500, unlike for categories (spec, List rules). */
export const TAGS: Resource<void, TagDocument> = {
  wrapper: 'masterdata',
  place: (call) => {
    requireAdministrator(call.key);
    readWrapper(call, 'masterdata', call.params.tag_id === undefined ? 500 : 400);
  },
  find: requireTag,
  render: ({ mode }, tag) => renderTag(tag, mode),
  save: ({ world, mode }, _, body, before) => {
    const { tags } = world.store;
    const category_id = before ? readNewCategory(world, body) : readOnlyCategory(world, body);
    const values = before?.values ?? readRequiredTexts(body, 'values', mode) ?? refuse(422, "Values can't be blank");
    const external = readString(body, 'external_unique_id');
    if (external !== undefined) checkExternalId(tags, external, before?.id);
    return tags.put({
      id: before?.id ?? createId(),
      values: readRequiredTexts(body, 'values', mode) ?? values,
      external_unique_id: external === undefined ? (before?.external_unique_id ?? null) : external,
      category_id,
    });
  },
};

function readOnlyCategory({ store }: World, { category_ids: ids }: Body): string {
  const [id, second] = Array.isArray(ids) ? ids : [];
  if (typeof id === 'string' && second === undefined && store.categories.get(id)) return id;
  return refuse(400, 'category_ids must name exactly one custom tag category of the account');
}

/** Reads the category on change, for which `custom_tag_category_id` is required. A different category moves the tag. */
function readNewCategory({ store }: World, body: Body): string {
  const id = readString(body, 'custom_tag_category_id');
  if (id && store.categories.get(id)) return id;
  return refuse(400, 'custom_tag_category_id must name a custom tag category of the account');
}

export function deleteTag(call: Call): undefined {
  requireAdministrator(call.key);
  const categoryId = readListParameter(call.query, 'category_ids')[0];
  if (!call.world.store.categories.get(categoryId)) refuse(400, 'category_ids must name the category of the tag');
  const tag = requireTag(call);
  if (tag.category_id !== categoryId) refuse(404, 'custom tag not found in that category');
  removeTags(call.world, new Set([tag.id]));
}
