import { observeCategory, observeTag } from '../../mirror/observe.js';
import { textOf } from '../../model/json.js';
import type { Change } from '../../model/plan.js';
import type { TagCategoryCreate, TagCategoryUpdate, TagFields } from '../../service/tags.js';
import { needId, resolveReference } from '../resolve-ids.js';
import { answerAs, type BatchStep, type CallContext, type EntityCalls } from '../step.js';
import { callsOfListed } from './listed-steps.js';

/** Categories are never deleted, because a deletion would remove all their tags from everyone. */
export const CATEGORY_CALLS = callsOfListed({
  entity: 'tag_categories',
  seenBy: 'listTagCategories',
  list: async ({ tags }) => (await tags.listCategories()).map(observeCategory),
  creation: {
    endpoint: 'createTagCategory',
    build({ after, reason }, { writer }) {
      // Only a create can set `allow_filtering` (spec, Custom tags). No source specifies it for a category that records
      // only refer to.
      const usual = reason.kind === 'referenced' ? { allow_filtering: true } : {};
      const category = { values: {}, ...usual, ...after } as TagCategoryCreate;
      const external = textOf(after.external_unique_id);
      return {
        send: async () => answerAs(await writer.tags.createCategory(category), observeCategory),
        isMade: ({ values }) => values.external_unique_id === external,
      };
    },
  },
  update: {
    endpoint: 'updateTagCategory',
    send: async ({ after, target }, { writer }) =>
      answerAs(await writer.tags.updateCategory(target, after as TagCategoryUpdate), observeCategory),
  },
});

/** One call deletes several tags of a category, or a single tag. */
export const TAG_CALLS: EntityCalls = {
  ...callsOfListed({
    entity: 'tags',
    seenBy: 'listTagCategories',
    list: async ({ tags }) =>
      (await tags.listCategories()).flatMap(({ id, custom_tags }) => custom_tags.map((tag) => observeTag(tag, id))),
    creation: {
      endpoint: 'createTag',
      build({ after }, { writer, directory }) {
        const { category, ...fields } = after;
        const categoryId = resolveReference('tag_categories', category, directory);
        const external = textOf(after.external_unique_id);
        return {
          async send() {
            const answer = await writer.tags.create(categoryId, { values: {}, ...fields });
            return answerAs(answer, (tag) => observeTag(tag, categoryId));
          },
          isMade: ({ values }) => values.external_unique_id === external && values.category_id === categoryId,
        };
      },
    },
    update: {
      endpoint: 'updateTag',
      async send({ after, target, known }, { writer }) {
        // Every update must include the category (spec, Custom tags).
        const categoryId = textOf(needId(known, 'The tag').values.category_id);
        const answer = await writer.tags.update(categoryId, target, after as TagFields);
        return answerAs(answer, (tag) => observeTag(tag, categoryId));
      },
    },
    deletion: {
      endpoint: 'deleteTags',
      send: async (target, context) => answerAs(await deleteTags([target], context)),
    },
  }),
  buildBatch: buildTagDeletions,
};

function deleteTags(ids: readonly string[], { writer, mirrored }: CallContext) {
  const { values } = needId(mirrored('tags', ids[0] ?? ''), 'The tag');
  return writer.tags.deleteMany(textOf(values.category_id), ids);
}

function buildTagDeletions(changes: readonly Change[], context: CallContext): BatchStep {
  const ids = changes.map(({ target }) => needId(target, 'The tag'));
  return {
    name: 'delete',
    endpoint: 'deleteTags',
    seenBy: 'listTagCategories',
    async send() {
      const { requestId, status } = await deleteTags(ids, context);
      return { observed: ids.map(() => null), requestId, status };
    },
    async probe() {
      const categories = await context.reader.tags.listCategories();
      const there = new Set(categories.flatMap(({ custom_tags }) => custom_tags.map(({ id }) => id)));
      return ids.map((id) => (there.has(id) ? 'nothing' : null));
    },
  };
}
