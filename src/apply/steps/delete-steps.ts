import { SyncError } from '../../errors.js';
import { observeCategory, observeCustomer, observeProject } from '../../mirror/observe.js';
import { type Entity, SINGULAR } from '../../model/entity.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { EndpointName } from '../../service/endpoints.js';
import { type CallContext, type EntityCalls, readText, type Sent, type Step } from '../step.js';

type Answer = Pick<Sent, 'requestId' | 'status'>;

/** How an object is deleted, and found after a lost answer. */
interface Deletion {
  readonly endpoint: EndpointName;
  remove(object: Observed, context: CallContext): Promise<Answer>;
  find(object: Observed, context: CallContext): Promise<Observed | null>;
}

const DELETIONS: Readonly<Partial<Record<Entity, Deletion>>> = {
  tag_categories: {
    endpoint: 'deleteTagCategory',
    remove: ({ id }, { writer }) => writer.tags.deleteCategory(id),
    async find({ id }, { reader }) {
      const category = (await reader.tags.listCategories()).find((one) => one.id === id);
      return category === undefined ? null : observeCategory(category);
    },
  },
  customers: {
    endpoint: 'deleteCustomer',
    remove: ({ id }, { writer }) => writer.customers.delete(id),
    async find({ id }, { reader, directory }) {
      for await (const page of reader.customers.list()) {
        const customer = page.find((one) => one.id === id);
        if (customer !== undefined) return observeCustomer(customer, directory);
      }
      return null;
    },
  },
  projects: {
    endpoint: 'deleteProject',
    remove: ({ id, values }, { writer }) => writer.projects.delete(readText(values.customer_id), id),
    async find({ id, values }, { reader, directory }) {
      const customerId = readText(values.customer_id);
      const project = await reader.projects.get(customerId, id);
      return project === null ? null : observeProject(project, customerId, directory);
    },
  },
};

/** Deletions that only an undo asks for: no configuration has them derived from the sources. */
export const DELETE_CALLS: Readonly<Partial<Record<Entity, EntityCalls>>> = Object.fromEntries(
  Object.entries(DELETIONS).map(([entity, deletion]: [string, Deletion]) => [
    entity,
    {
      endpoints: () => [deletion.endpoint],
      build: (change: Change, context: CallContext) => [buildDeletion(change, deletion, context)],
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
