import { observeCategory, observeTag } from '../../mirror/observe.js';
import type { Change } from '../../model/plan.js';
import { needId } from '../resolve-ids.js';
import { type CallContext, type EntityCalls, readText, type Step } from '../step.js';

export const CATEGORY_CALLS: EntityCalls = { endpoints: () => ['createTagCategory'], build: buildCategorySteps };
export const TAG_CALLS: EntityCalls = { endpoints: () => ['createTag'], build: buildTagSteps };

function buildCategorySteps(change: Change, { writer, reader }: CallContext): readonly Step[] {
  const external = readText(change.after.external_unique_id);
  return [
    {
      name: 'create',
      endpoint: 'createTagCategory',
      repeat: 'probe',
      async send() {
        const { can_be_used_for_customers: forCustomers, can_be_used_for_references: forReferences } = change.after;
        // Filtering can be set on create only (spec, Custom tags); without the CV flag the tag of a person would not show.
        const { value, requestId, status } = await writer.tags.createCategory({
          ...(forCustomers === true ? { can_be_used_for_customers: true } : {}),
          ...(forReferences === true ? { can_be_used_for_references: true } : {}),
          values: { en: external },
          external_unique_id: external,
          can_be_used_for_cvs: true,
          allow_filtering: true,
        });
        return { observed: observeCategory(value), requestId, status };
      },
      async probe() {
        const categories = await reader.tags.listCategories();
        const found = categories.find((category) => category.external_unique_id === external);
        return found === undefined ? null : observeCategory(found);
      },
    },
  ];
}

function buildTagSteps(change: Change, { writer, reader, directory }: CallContext): readonly Step[] {
  const category = readText(change.after.category);
  const external = readText(change.after.external_unique_id);
  const categoryId = needId(directory.categoryId(category), `Tag category "${category}"`);
  return [
    {
      name: 'create',
      endpoint: 'createTag',
      repeat: 'probe',
      async send() {
        const tag = { values: { en: external }, external_unique_id: external };
        const { value, requestId, status } = await writer.tags.create(categoryId, tag);
        return { observed: observeTag(value, categoryId), requestId, status };
      },
      async probe() {
        const categories = await reader.tags.listCategories();
        const tags = categories.find(({ id }) => id === categoryId)?.custom_tags ?? [];
        const found = tags.find((tag) => tag.external_unique_id === external);
        return found === undefined ? null : observeTag(found, categoryId);
      },
    },
  ];
}
