import * as z from 'zod';
import { CATEGORY_FIELDS } from '../../fields/plain-fields.js';
import type { OperationGroup } from './operation.js';
import { id, shapeOf, show, showPlainFields, Texts, take, text, wrap } from './shapes.js';

const ids = z.array(z.string());

const TAG = { values: Texts, external_unique_id: text };
export const Tag = show({
  ...shapeOf(id, '_id', 'id', 'custom_tag_category_id'),
  ...TAG,
  category_ids: ids,
});
const CATEGORY = { values: Texts, ...showPlainFields(CATEGORY_FIELDS) };
const CategoryFields = show({ ...shapeOf(id, '_id', 'id'), ...CATEGORY });
export const TagCategory = CategoryFields.extend({ custom_tags: z.array(Tag) });
export const RecordTag = Tag.extend({ custom_tag_category: CategoryFields });

const CategoryBody = wrap('masterdata', take(CATEGORY));
const TagBody = wrap('masterdata', take({ ...TAG, category_ids: ids, custom_tag_category_id: z.string() }));

const CATEGORIES = '/api/v1/masterdata/custom_tags/custom_tag_category';
const TAG_PATH = '/api/v1/masterdata/custom_tags/custom_tag';

const TECHNOLOGIES = '/api/v1/masterdata/technologies';
const SKILL_QUERY = {
  offset: z.int().min(0),
  limit: z.int().min(1).max(5_000),
  query: z.string(),
  language_code: z.string(),
};
/** A skill category or a skill. */
export const SkillMasterdata = show({
  ...shapeOf(id, '_id', 'id', 'company_id', 'section_type', 'field_name'),
  values: Texts,
  external_unique_id: text,
  help_text: Texts,
  category_ids: ids,
});

export const TAGS: OperationGroup = {
  tag: 'Tags',
  description: 'Custom tags in categories.',
  operations: {
    [`GET ${CATEGORIES}`]: {
      id: 'listTagCategories',
      summary: 'All categories with their tags',
      query: { language_code: z.string() },
      answer: z.array(TagCategory),
    },
    [`POST ${CATEGORIES}`]: {
      id: 'createTagCategory',
      summary: 'Create a category',
      body: CategoryBody,
      answer: TagCategory,
    },
    [`PUT ${CATEGORIES}/:category_id`]: {
      id: 'updateTagCategory',
      summary: 'Change a category',
      body: CategoryBody,
      answer: TagCategory,
    },
    [`DELETE ${CATEGORIES}/:category_id`]: {
      id: 'deleteTagCategory',
      summary: 'Delete a category with its tags',
      answer: 'nothing',
    },
    [`DELETE ${CATEGORIES}/:category_id/bulk_delete`]: {
      id: 'deleteTags',
      summary: 'Delete tags of a category',
      query: { 'tag_ids[]': ids },
      needs: ['tag_ids[]'],
      answer: 'nothing',
    },
    [`GET ${TAG_PATH}`]: {
      id: 'listTags',
      summary: 'Tags of a category',
      query: {
        category_ids: z.string(),
        offset: z.int().min(0),
        limit: z.int().min(1).max(100),
        query: z.string(),
        language_code: z.string(),
      },
      answer: z.array(Tag),
    },
    [`GET ${TECHNOLOGIES}/category`]: {
      id: 'listSkillCategories',
      summary: 'The categories of skills that CVs name',
      query: SKILL_QUERY,
      answer: z.array(SkillMasterdata),
      isBeyond: true,
    },
    [`GET ${TECHNOLOGIES}/tags`]: {
      id: 'listSkills',
      summary: 'The skills that CVs name',
      query: { ...SKILL_QUERY, 'category_ids[]': ids },
      answer: z.array(SkillMasterdata),
      isBeyond: true,
    },
    [`POST ${TAG_PATH}`]: { id: 'createTag', summary: 'Create a tag', body: TagBody, answer: Tag },
    [`PUT ${TAG_PATH}/:tag_id`]: { id: 'updateTag', summary: 'Change a tag', body: TagBody, answer: Tag },
    [`DELETE ${TAG_PATH}/:tag_id`]: {
      id: 'deleteTag',
      summary: 'Delete a tag',
      query: { category_ids: z.string() },
      needs: ['category_ids'],
      answer: 'nothing',
    },
  },
};
