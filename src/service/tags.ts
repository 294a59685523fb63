import type { Multilingual } from '../model/json.js';
import type { Reads, Writes, Writing } from './answer.js';
import { listRows, type Pages } from './paging.js';
import { createRecordTagsWriter } from './record-tags.js';
import { WireTag, WireTagCategory } from './wire.js';
import type { PlainBody, PlainUpdate } from './wire-plain.js';

export type TagCategoryUpdate = PlainUpdate<'tag_categories'>;
export type TagCategoryCreate = PlainBody<'tag_categories'> & { readonly values: Multilingual };

export type TagFields = PlainBody<'tags'>;
export type TagCreate = TagFields & { readonly values: Multilingual };

export interface TagQuery {
  /** Part of a tag's label, in any case. */
  readonly query?: string;
  /** The only language to search with `query`; all languages by default. */
  readonly languageCode?: string;
  /** 1 to 100. */
  readonly size?: number;
  readonly signal?: AbortSignal | undefined;
}

/** The largest `limit` that the service does not reject with 400 (spec, Limits). */
const PAGE_LIMIT = 100;

export function createTagsReader(read: Reads) {
  return {
    /** Reads every category with its tags, without pages. With `languageCode`, sorts them by the name in that language. */
    listCategories: async (signal?: AbortSignal, languageCode?: string): Promise<readonly WireTagCategory[]> =>
      read.rows('listTagCategories', WireTagCategory, { query: { language_code: languageCode }, signal }),
    /** Reads the tags of one category page by page, each once. An unknown category has no tags. */
    list(categoryId: string, { query, languageCode, size = PAGE_LIMIT, signal }: TagQuery = {}): Pages<WireTag> {
      const filter = { category_ids: categoryId, query, language_code: languageCode };
      const ask = (offset: number) =>
        read.call({ endpoint: 'listTags', query: { ...filter, offset, limit: size }, signal });
      return listRows(size, ask, WireTag);
    },
  };
}

export function createTagsWriter(send: Writes) {
  return {
    createCategory: (category: TagCategoryCreate, signal?: AbortSignal): Writing<WireTagCategory> =>
      send.record('createTagCategory', WireTagCategory, { body: { masterdata: { ...category } }, signal }),
    updateCategory(categoryId: string, category: TagCategoryUpdate, signal?: AbortSignal): Writing<WireTagCategory> {
      const body = { masterdata: { ...category } };
      return send.record('updateTagCategory', WireTagCategory, { path: [categoryId], body, signal });
    },
    /** Deletes the category with all its tags. An unknown category is answered 500. */
    deleteCategory: (categoryId: string, signal?: AbortSignal): Writing<null> =>
      send.empty('deleteTagCategory', { path: [categoryId], signal }),
    create: (categoryId: string, tag: TagCreate, signal?: AbortSignal): Writing<WireTag> =>
      send.record('createTag', WireTag, { body: { masterdata: { ...tag, category_ids: [categoryId] } }, signal }),
    update(categoryId: string, tagId: string, tag: TagFields, signal?: AbortSignal): Writing<WireTag> {
      const body = { masterdata: { ...tag, custom_tag_category_id: categoryId } };
      return send.record('updateTag', WireTag, { path: [tagId], body, signal });
    },
    delete: (categoryId: string, tagId: string, signal?: AbortSignal): Writing<null> =>
      send.empty('deleteTag', { path: [tagId], query: { category_ids: categoryId }, signal }),
    /** Deletes at least one tag; all of them must be in this category. */
    deleteMany: (categoryId: string, tagIds: readonly string[], signal?: AbortSignal): Writing<null> =>
      send.empty('deleteTags', { path: [categoryId], query: { 'tag_ids[]': tagIds }, signal }),
    ...createRecordTagsWriter(send),
  };
}
