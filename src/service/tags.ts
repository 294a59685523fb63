import type { Multilingual } from '../model/json.js';
import { buildWriteResult, collectRows, parseRows, parseWrite, type WriteResult } from './answer.js';
import type { ReadCall, WriteCall } from './call.js';
import { readPages } from './paging.js';
import { createRecordTagsWriter, type RecordTagsWriter } from './record-tags.js';
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

export interface TagsReader {
  /** Every category with its tags; there are no pages. Sorted by its name in `languageCode`, where one is given. */
  listCategories(signal?: AbortSignal, languageCode?: string): Promise<readonly WireTagCategory[]>;
  /** Tags of one category, page by page, each once. An unknown category has none. */
  list(categoryId: string, query?: TagQuery): AsyncGenerator<readonly WireTag[], void, undefined>;
}

export interface TagsWriter extends RecordTagsWriter {
  createCategory(category: TagCategoryCreate, signal?: AbortSignal): Promise<WriteResult<WireTagCategory>>;
  updateCategory(
    categoryId: string,
    category: TagCategoryUpdate,
    signal?: AbortSignal,
  ): Promise<WriteResult<WireTagCategory>>;
  /** With every tag of it. An unknown one is answered 500. */
  deleteCategory(categoryId: string, signal?: AbortSignal): Promise<WriteResult<null>>;
  create(categoryId: string, tag: TagCreate, signal?: AbortSignal): Promise<WriteResult<WireTag>>;
  update(categoryId: string, tagId: string, tag: TagFields, signal?: AbortSignal): Promise<WriteResult<WireTag>>;
  delete(categoryId: string, tagId: string, signal?: AbortSignal): Promise<WriteResult<null>>;
  /** At least one, all of that category. */
  deleteMany(categoryId: string, tagIds: readonly string[], signal?: AbortSignal): Promise<WriteResult<null>>;
}

/** The largest `limit` that is not answered 400 (spec, Limits). */
const PAGE_LIMIT = 100;

export function createTagsReader(call: ReadCall): TagsReader {
  return {
    async listCategories(signal, languageCode) {
      const query = { language_code: languageCode };
      return collectRows(await call({ endpoint: 'listTagCategories', query, signal }), WireTagCategory);
    },
    async *list(categoryId, { query, languageCode, size = PAGE_LIMIT, signal } = {}) {
      const filter = { category_ids: categoryId, query, language_code: languageCode };
      const pages = readPages<WireTag>({
        size,
        async readPage(offset) {
          const request = { endpoint: 'listTags', query: { ...filter, offset, limit: size } } as const;
          return { rows: parseRows(await call({ ...request, signal }), WireTag), total: null };
        },
        idOf: (tag) => tag.id,
      });
      for await (const page of pages) if (page.rows.length > 0) yield page.rows;
    },
  };
}

export function createTagsWriter(call: WriteCall): TagsWriter {
  return {
    async createCategory(category, signal) {
      const body = { masterdata: { ...category } };
      return parseWrite(await call({ endpoint: 'createTagCategory', body, signal }), WireTagCategory);
    },
    async updateCategory(categoryId, category, signal) {
      const path = { custom_tag_category_id: categoryId };
      const body = { masterdata: { ...category } };
      return parseWrite(await call({ endpoint: 'updateTagCategory', path, body, signal }), WireTagCategory);
    },
    async deleteCategory(categoryId, signal) {
      const path = { custom_tag_category_id: categoryId };
      return buildWriteResult(await call({ endpoint: 'deleteTagCategory', path, signal }), null);
    },
    async create(categoryId, tag, signal) {
      const body = { masterdata: { ...tag, category_ids: [categoryId] } };
      return parseWrite(await call({ endpoint: 'createTag', body, signal }), WireTag);
    },
    async update(categoryId, tagId, tag, signal) {
      const path = { custom_tag_id: tagId };
      const body = { masterdata: { ...tag, custom_tag_category_id: categoryId } };
      return parseWrite(await call({ endpoint: 'updateTag', path, body, signal }), WireTag);
    },
    async delete(categoryId, tagId, signal) {
      const path = { custom_tag_id: tagId };
      const query = { category_ids: categoryId };
      return buildWriteResult(await call({ endpoint: 'deleteTag', path, query, signal }), null);
    },
    async deleteMany(categoryId, tagIds, signal) {
      const path = { custom_tag_category_id: categoryId };
      const query = { 'tag_ids[]': tagIds };
      return buildWriteResult(await call({ endpoint: 'deleteTags', path, query, signal }), null);
    },
    ...createRecordTagsWriter(call),
  };
}
