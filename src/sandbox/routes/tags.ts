import { requireAdministrator } from '../access.js';
import type { TagDocument } from '../documents.js';
import { foldText, readLanguageCode } from '../languages.js';
import { renderTag } from '../render-tags.js';
import { type Answer, type Call, NO_CONTENT, Refusal, type Route, type World } from '../route.js';
import { createId } from '../store.js';
import {
  type Body,
  readIntegerParameter,
  readListParameter,
  readParameter,
  readRequiredTexts,
  readString,
  readWrapper,
} from '../values.js';
import { readSortLanguage, removeTags, sortByText } from './tag-categories.js';

const BASE = '/api/v1/masterdata/custom_tags/custom_tag';

export const TAG_ROUTES: readonly Route[] = [
  { method: 'GET', path: BASE, access: 'read', handle: listTags },
  { method: 'POST', path: BASE, access: 'write', handle: postTag },
  { method: 'PUT', path: `${BASE}/:tag_id`, access: 'write', handle: putTag },
  { method: 'DELETE', path: `${BASE}/:tag_id`, access: 'write', handle: deleteTag },
];

/** Without a category, or with an unknown one, an empty list rather than an error (spec, List rules). */
function listTags(world: World, call: Call): Answer {
  const limit = readIntegerParameter(call.query, 'limit', { min: 1, max: 100, fallback: 100 });
  const offset = readIntegerParameter(call.query, 'offset', { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 });
  const categoryId = readListParameter(call.query, 'category_ids')[0];
  if (categoryId === undefined) return { status: 200, body: [] };
  const query = (readParameter(call.query, 'query') ?? '').toLowerCase();
  const language = readLanguageCode(readParameter(call.query, 'language_code') ?? '', call.mode);
  const tags = world.store.tags.find('WHERE category_id = ?', [categoryId]);
  const found = tags.filter((tag) => {
    const searched = language === undefined ? Object.values(tag.values) : [tag.values[language] ?? ''];
    return searched.some((text) => text.toLowerCase().includes(query) || foldText(text).includes(query));
  });
  const page = sortByText(found, readSortLanguage(world, call)).slice(offset, offset + limit);
  return { status: 200, body: page.map((tag) => renderTag(tag, call.mode)) };
}

/** A missing wrapper is a 500 here, unlike on categories (spec, List rules). */
function postTag(world: World, call: Call): Answer {
  requireAdministrator(call.key);
  const body = readWrapper(call, 'masterdata', 500);
  const categoryId = readCategoryIds(world, body);
  const values = readRequiredTexts(body, 'values', call.mode);
  if (values === undefined) throw new Refusal(422, "Values can't be blank");
  const external = readString(body, 'external_unique_id') ?? null;
  checkExternalId(world, external, undefined);
  const tag = world.store.tags.put({ id: createId(), values, external_unique_id: external, category_id: categoryId });
  return { status: 200, body: renderTag(tag, call.mode) };
}

function readCategoryIds(world: World, body: Body): string {
  const ids: unknown = body.category_ids;
  const [id, second] = Array.isArray(ids) ? ids : [];
  if (typeof id !== 'string' || second !== undefined || !world.store.categories.get(id)) {
    throw new Refusal(400, 'category_ids must name exactly one custom tag category of the account');
  }
  return id;
}

/** `custom_tag_category_id` is required, and moves the tag when it names another category. */
function putTag(world: World, call: Call): Answer {
  requireAdministrator(call.key);
  const body = readWrapper(call, 'masterdata');
  const before = requireTag(world, call);
  const categoryId = readString(body, 'custom_tag_category_id');
  if (!categoryId || !world.store.categories.get(categoryId)) {
    throw new Refusal(400, 'custom_tag_category_id must name a custom tag category of the account');
  }
  const external = readString(body, 'external_unique_id');
  if (external !== undefined) checkExternalId(world, external, before.id);
  const tag = world.store.tags.put({
    ...before,
    values: readRequiredTexts(body, 'values', call.mode) ?? before.values,
    external_unique_id: external === undefined ? before.external_unique_id : external,
    category_id: categoryId,
  });
  return { status: 200, body: renderTag(tag, call.mode) };
}

function requireTag(world: World, call: Call): TagDocument {
  const tag = world.store.tags.get(call.params.tag_id ?? '');
  if (!tag) throw new Refusal(404, 'custom tag not found');
  return tag;
}

function checkExternalId(world: World, external: string | null, ownId: string | undefined): void {
  if (external === null) return;
  const holder = world.store.tags.first('WHERE external_unique_id = ?', [external]);
  if (holder && holder.id !== ownId) throw new Refusal(422, 'External unique id has already been taken');
}

function deleteTag(world: World, call: Call): Answer {
  requireAdministrator(call.key);
  const categoryId = readListParameter(call.query, 'category_ids')[0];
  if (categoryId === undefined || !world.store.categories.get(categoryId)) {
    throw new Refusal(400, 'category_ids must name the category of the tag');
  }
  const tag = requireTag(world, call);
  if (tag.category_id !== categoryId) throw new Refusal(404, 'custom tag not found in that category');
  removeTags(world, new Set([tag.id]));
  return NO_CONTENT;
}
