import type { World } from '../account/world.js';
import { type CodeMode, toWireTexts } from '../fields/languages.js';
import { CATEGORY_FIELDS, renderFields } from '../fields/plain-fields.js';
import type { CategoryDocument, TagDocument } from '../store/documents.js';

export function renderTag(tag: TagDocument, mode: CodeMode): object {
  return {
    _id: tag.id,
    id: tag.id,
    values: toWireTexts(tag.values, mode),
    external_unique_id: tag.external_unique_id,
    custom_tag_category_id: tag.category_id,
    category_ids: [tag.category_id],
  };
}

export function renderCategoryFields(category: CategoryDocument, mode: CodeMode): object {
  return {
    _id: category.id,
    id: category.id,
    values: toWireTexts(category.values, mode),
    ...renderFields(CATEGORY_FIELDS, category, mode),
  };
}

export type UsableFor = 'can_be_used_for_cvs' | 'can_be_used_for_references' | 'can_be_used_for_customers';

/**
 * Renders the tags of a record. The flags decide which tags are shown, not which may be attached (spec, Custom tags, List
 * rules).
 */
export function renderRecordTags(world: World, ids: readonly string[], usable: UsableFor, mode: CodeMode): object[] {
  return ids.flatMap((id) => {
    const tag = world.store.tags.get(id);
    const category = tag && world.store.categories.get(tag.category_id);
    if (!tag || !category?.[usable]) return [];
    return [{ ...renderTag(tag, mode), custom_tag_category: renderCategoryFields(category, mode) }];
  });
}
