import { SyncError } from '../../errors.js';
import { observeCategory, observeCustomer, observeOffice, observeProject, observeTag } from '../../mirror/observe.js';
import { type Entity, SINGULAR } from '../../model/entity.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { EndpointName } from '../../service/endpoints.js';
import { type BatchStep, type CallContext, type EntityCalls, readText, type Sent, type Step } from '../step.js';

type Answer = Pick<Sent, 'requestId' | 'status'>;

/** How an object is deleted, and found after a lost answer. */
interface Deletion {
  readonly endpoint: EndpointName;
  remove(object: Observed, context: CallContext): Promise<Answer>;
  find(object: Observed, context: CallContext): Promise<Observed | null>;
}

const DELETIONS: Readonly<Partial<Record<Entity, Deletion>>> = {
  offices: {
    endpoint: 'deleteOffice',
    remove: ({ id, values }, { writer }) => writer.countries.deleteOffice(readText(values.country_id), id),
    async find({ id, values }, { reader }) {
      const country = (await reader.countries.list()).find((one) => one.id === values.country_id);
      const office = country?.offices.find((one) => one.id === id);
      return office === undefined || country === undefined ? null : observeOffice(office, country);
    },
  },
  tag_categories: {
    endpoint: 'deleteTagCategory',
    remove: ({ id }, { writer }) => writer.tags.deleteCategory(id),
    async find({ id }, { reader }) {
      const category = (await reader.tags.listCategories()).find((one) => one.id === id);
      return category === undefined ? null : observeCategory(category);
    },
  },
  tags: {
    endpoint: 'deleteTags',
    remove: ({ id, values }, { writer }) => writer.tags.deleteMany(readText(values.category_id), [id]),
    async find({ id, values }, { reader }) {
      const category = (await reader.tags.listCategories()).find((one) => one.id === values.category_id);
      const tag = category?.custom_tags.find((one) => one.id === id);
      return tag === undefined || category === undefined ? null : observeTag(tag, category.id);
    },
  },
  customers: {
    endpoint: 'deleteCustomer',
    remove: ({ id }, { writer }) => writer.customers.delete(id),
    async find({ id }, { reader }) {
      for await (const page of reader.customers.list()) {
        const customer = page.find((one) => one.id === id);
        if (customer !== undefined) return observeCustomer(customer);
      }
      return null;
    },
  },
  projects: {
    endpoint: 'deleteProject',
    remove: ({ id, values }, { writer }) => writer.projects.delete(readText(values.customer_id), id),
    async find({ id, values }, { reader }) {
      const customerId = readText(values.customer_id);
      const project = await reader.projects.get(customerId, id);
      return project === null ? null : observeProject(project, customerId);
    },
  },
};

/** Deletions that only an undo asks for, or that need nothing but the object's id. */
export const DELETE_CALLS: Readonly<Partial<Record<Entity, EntityCalls>>> = Object.fromEntries(
  Object.entries(DELETIONS).map(([entity, deletion]: [string, Deletion]) => [
    entity,
    {
      endpoints: () => [deletion.endpoint],
      build: (change: Change, context: CallContext) => [buildDeletion(change, deletion, context)],
      ...(entity === 'tags' ? { buildBatch: buildTagDeletions } : {}),
    } satisfies EntityCalls,
  ]),
);

function buildDeletion({ entity, target }: Change, deletion: Deletion, context: CallContext): Step {
  const object = needObject(entity, target, context);
  return {
    name: 'delete',
    endpoint: deletion.endpoint,
    repeat: 'idempotent',
    deletes: true,
    async send() {
      const { requestId, status } = await deletion.remove(object, context);
      return { observed: null, requestId, status };
    },
    probe: () => deletion.find(object, context),
  };
}

/** Where it lies (country, category, customer) stands in the mirror's copy. */
function needObject(entity: Entity, target: string | null, { mirrored }: CallContext): Observed {
  const object = target === null ? null : mirrored(entity, target);
  if (object !== null) return object;
  throw new SyncError('SYNC_REFERENCE_UNKNOWN', {
    message: `The ${SINGULAR[entity]} ${target ?? ''} is not in the mirror any more.`,
    remedy: 'Run again: the next plan looks it up anew.',
  });
}

/** Tags of one category go in one call (spec, Custom tags, bulk_delete). */
function buildTagDeletions(changes: readonly Change[], context: CallContext): BatchStep {
  const tags = changes.map(({ target }) => needObject('tags', target, context));
  const categoryId = readText(tags[0]?.values.category_id);
  return {
    name: 'delete',
    endpoint: 'deleteTags',
    async send() {
      const ids = tags.map(({ id }) => id);
      const { requestId, status } = await context.writer.tags.deleteMany(categoryId, ids);
      return { observed: tags.map(() => null), requestId, status };
    },
    async probe() {
      const category = (await context.reader.tags.listCategories()).find(({ id }) => id === categoryId);
      const left = new Set(category?.custom_tags.map(({ id }) => id));
      return tags.map(({ id }) => (left.has(id) ? 'nothing' : null));
    },
  };
}
