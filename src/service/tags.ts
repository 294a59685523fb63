import type { Multilingual } from '../model/json.js';
import { collectRows, type Writing, writeOnly, writeRecord } from './answer.js';
import type { ReadCall, WriteCall } from './call.js';
import { listRows, type Pages } from './paging.js';
import { createRecordTagsWriter } from './record-tags.js';
import { WireTag, WireTagCategory } from './wire.js';
import type { PlainBody, PlainUpdate } from './wire-plain.js';

export type TagCategoryUpdate = PlainUpdate<'tag_categories'>;
export type TagCategoryCreate = PlainBody<'tag_categories'> & { readonly values: Multilingual };

export type TagFields = PlainBody<'tags'>;
export type TagCreate = TagFields & { readonly values: Multilingual };

export interface TagQuery {
  /** Part of a tag's label, whatever its case. */
  readonly query?: string;
  /** The one language that `query` is looked for in; every language unless given. */
  readonly languageCode?: string;
  /** 1 to 100. */
  readonly size?: number;
  readonly signal?: AbortSignal | undefined;
}

/** The largest `limit` that is not answered 400 (spec, Limits). */
const PAGE_LIMIT = 100;

export function createTagsReader(call: ReadCall) {
  return {
    /** Every category with its tags; there are no pages. Sorted by its name in `languageCode`, where one is given. */
    async listCategories(signal?: AbortSignal, languageCode?: string): Promise<readonly WireTagCategory[]> {
      const query = { language_code: languageCode };
      return collectRows(await call({ endpoint: 'listTagCategories', query, signal }), WireTagCategory);
    },
    /** Tags of one category, page by page, each once. An unknown category has none. */
    list(categoryId: string, { query, languageCode, size = PAGE_LIMIT, signal }: TagQuery = {}): Pages<WireTag> {
      const filter = { category_ids: categoryId, query, language_code: languageCode };
      const ask = (offset: number) => call({ endpoint: 'listTags', query: { ...filter, offset, limit: size }, signal });
      return listRows(size, ask, WireTag);
    },
  };
}

export function createTagsWriter(call: WriteCall) {
  const at = (categoryId: string) => ({ custom_tag_category_id: categoryId });
  return {
    createCategory(category: TagCategoryCreate, signal?: AbortSignal): Writing<WireTagCategory> {
      const body = { masterdata: { ...category } };
      return writeRecord(call, { endpoint: 'createTagCategory', body, signal }, WireTagCategory);
    },
    updateCategory(categoryId: string, category: TagCategoryUpdate, signal?: AbortSignal): Writing<WireTagCategory> {
      const body = { masterdata: { ...category } };
      const request = { endpoint: 'updateTagCategory', path: at(categoryId), body, signal } as const;
      return writeRecord(call, request, WireTagCategory);
    },
    /** With every tag of it. An unknown one is answered 500. */
    deleteCategory: (categoryId: string, signal?: AbortSignal): Writing<null> =>
      writeOnly(call, { endpoint: 'deleteTagCategory', path: at(categoryId), signal }),
    create(categoryId: string, tag: TagCreate, signal?: AbortSignal): Writing<WireTag> {
      const body = { masterdata: { ...tag, category_ids: [categoryId] } };
      return writeRecord(call, { endpoint: 'createTag', body, signal }, WireTag);
    },
    update(categoryId: string, tagId: string, tag: TagFields, signal?: AbortSignal): Writing<WireTag> {
      const body = { masterdata: { ...tag, ...at(categoryId) } };
      return writeRecord(call, { endpoint: 'updateTag', path: { custom_tag_id: tagId }, body, signal }, WireTag);
    },
    delete(categoryId: string, tagId: string, signal?: AbortSignal): Writing<null> {
      const query = { category_ids: categoryId };
      return writeOnly(call, { endpoint: 'deleteTag', path: { custom_tag_id: tagId }, query, signal });
    },
    /** At least one, all of that category. */
    deleteMany: (categoryId: string, tagIds: readonly string[], signal?: AbortSignal): Writing<null> =>
      writeOnly(call, { endpoint: 'deleteTags', path: at(categoryId), query: { 'tag_ids[]': tagIds }, signal }),
    ...createRecordTagsWriter(call),
  };
}
