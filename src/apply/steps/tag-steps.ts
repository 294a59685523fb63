import { observeCategory, observeTag } from '../../mirror/observe.js';
import { textOf } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { TagCategoryCreate, TagCategoryUpdate, TagCreate, TagFields } from '../../service/tags.js';
import type { WireTagCategory } from '../../service/wire.js';
import { needId, resolveReference } from '../resolve-ids.js';
import type { ActionEndpoints, BatchStep, CallContext, EntityCalls, Step } from '../step.js';

/** A category is never deleted: every tag in it would go with it, from everybody who has one. */
export const CATEGORY_CALLS: EntityCalls = {
  endpoints: ({ action }) => [action === 'create' ? 'createTagCategory' : 'updateTagCategory'],
  build: (change, context) => [
    change.target === null ? buildCategoryCreate(change, context) : buildCategoryUpdate(change, change.target, context),
  ],
};

const TAG_ENDPOINTS: ActionEndpoints = { create: 'createTag', delete: 'deleteTags' };

/** Tags of one category are deleted in one call, and a single one by the same call. */
export const TAG_CALLS: EntityCalls = {
  endpoints: ({ action }) => [TAG_ENDPOINTS[action] ?? 'updateTag'],
  build: (change, context) => [buildTagStep(change, context)],
  buildBatch: buildTagDeletions,
};

async function lookForCategory(
  { reader }: CallContext,
  matches: (category: WireTagCategory) => boolean,
): Promise<Observed | null> {
  const found = (await reader.tags.listCategories()).find(matches);
  return found === undefined ? null : observeCategory(found);
}

/** External ids are unique over the account, so a tag is found wherever it is. */
async function lookForTag(
  { reader }: CallContext,
  matches: (tag: WireTagCategory['custom_tags'][number]) => boolean,
): Promise<Observed | null> {
  for (const { id, custom_tags } of await reader.tags.listCategories()) {
    const found = custom_tags.find(matches);
    if (found !== undefined) return observeTag(found, id);
  }
  return null;
}

function buildCategoryCreate({ after, reason }: Change, context: CallContext): Step {
  const external = textOf(after.external_unique_id);
  // Can be set on create only (spec, Custom tags); who has it made by the way has nowhere to say so.
  const usual = reason.kind === 'referenced' ? { allow_filtering: true } : {};
  const category = { values: {}, ...usual, ...after } as TagCategoryCreate;
  return {
    name: 'create',
    endpoint: 'createTagCategory',
    repeat: 'probe',
    seenBy: 'listTagCategories',
    async send() {
      const { value, requestId, status } = await context.writer.tags.createCategory(category);
      return { observed: observeCategory(value), requestId, status };
    },
    probe: () => lookForCategory(context, (one) => one.external_unique_id === external),
  };
}

function buildCategoryUpdate({ after }: Change, target: string, context: CallContext): Step {
  return {
    name: 'update',
    endpoint: 'updateTagCategory',
    repeat: 'idempotent',
    seenBy: 'listTagCategories',
    async send() {
      const { value, requestId, status } = await context.writer.tags.updateCategory(target, after as TagCategoryUpdate);
      return { observed: observeCategory(value), requestId, status };
    },
    probe: () => lookForCategory(context, (one) => one.id === target),
  };
}

function buildTagStep(change: Change, context: CallContext): Step {
  const { target } = change;
  if (target === null) return buildTagCreate(change, context);
  return change.action === 'delete' ? buildTagDeletion(target, context) : buildTagUpdate(change, target, context);
}

function buildTagCreate({ after }: Change, context: CallContext): Step {
  const { category, ...fields } = after;
  const categoryId = resolveReference('tag_categories', category, context.directory);
  const external = textOf(after.external_unique_id);
  const tag: TagCreate = { values: {}, ...fields };
  return {
    name: 'create',
    endpoint: 'createTag',
    repeat: 'probe',
    seenBy: 'listTagCategories',
    async send() {
      const { value, requestId, status } = await context.writer.tags.create(categoryId, tag);
      return { observed: observeTag(value, categoryId), requestId, status };
    },
    async probe() {
      const found = await lookForTag(context, (tag) => tag.external_unique_id === external);
      return found?.values.category_id === categoryId ? found : null;
    },
  };
}

function buildTagUpdate({ after }: Change, target: string, context: CallContext): Step {
  const { writer, mirrored } = context;
  return {
    name: 'update',
    endpoint: 'updateTag',
    repeat: 'idempotent',
    seenBy: 'listTagCategories',
    async send(previous) {
      const { values } = needId(previous ?? mirrored('tags', target), 'The tag');
      // The service wants the category with every update (spec, Custom tags).
      const categoryId = textOf(values.category_id);
      const { value, requestId, status } = await writer.tags.update(categoryId, target, after as TagFields);
      return { observed: observeTag(value, categoryId), requestId, status };
    },
    probe: () => lookForTag(context, (tag) => tag.id === target),
  };
}

/** As the call of one; `buildTagDeletions` sends it for all of a category at once. */
function buildTagDeletion(target: string, context: CallContext): Step {
  return {
    name: 'delete',
    endpoint: 'deleteTags',
    repeat: 'probe',
    seenBy: 'listTagCategories',
    deletes: true,
    async send() {
      const { values } = needId(context.mirrored('tags', target), 'The tag');
      const { requestId, status } = await context.writer.tags.deleteMany(textOf(values.category_id), [target]);
      return { observed: null, requestId, status };
    },
    probe: () => lookForTag(context, (tag) => tag.id === target),
  };
}

function buildTagDeletions(changes: readonly Change[], context: CallContext): BatchStep {
  const { writer, reader, mirrored } = context;
  const ids = changes.map(({ target }) => needId(target, 'The tag'));
  return {
    name: 'delete',
    endpoint: 'deleteTags',
    seenBy: 'listTagCategories',
    async send() {
      const { values } = needId(mirrored('tags', ids[0] ?? ''), 'The tag');
      const { requestId, status } = await writer.tags.deleteMany(textOf(values.category_id), ids);
      return { observed: ids.map(() => null), requestId, status };
    },
    async probe() {
      const categories = await reader.tags.listCategories();
      const there = new Set(categories.flatMap(({ custom_tags }) => custom_tags.map(({ id }) => id)));
      return ids.map((id) => (there.has(id) ? 'nothing' : null));
    },
  };
}
