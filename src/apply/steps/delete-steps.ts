import { observeCategory, observeCustomer, observeProject, observeUser } from '../../mirror/observe.js';
import { type Entity, TRAITS } from '../../model/entity.js';
import { textOf } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { WriteResult } from '../../service/answer.js';
import type { EndpointName } from '../../service/endpoints.js';
import { needId } from '../resolve-ids.js';
import { type CallContext, type EntityCalls, type Step, sendDeletion } from '../step.js';

/** The object to delete, with its location from the mirror, if known. */
type Located = Pick<Observed, 'id' | 'values'>;

/** Describes how to delete an object and how to find it after a lost answer. */
interface Deletion {
  readonly endpoint: EndpointName;
  remove(object: Located, context: CallContext): Promise<WriteResult<null>>;
  find(object: Located, context: CallContext): Promise<Observed | null>;
  readonly seenBy: EndpointName;
  /** True if the id is not enough because the call also needs the object's owner, which the mirror knows. */
  readonly underOwner?: true;
}

const DELETIONS: Readonly<Partial<Record<Entity, Deletion>>> = {
  // The service then also deletes the CV with its sections and tags, and removes the person as a project owner.
  users: {
    endpoint: 'deleteUser',
    seenBy: 'getUser',
    remove: ({ id }, { writer }) => writer.users.delete(id),
    async find({ id }, { reader }) {
      const user = await reader.users.get(id);
      return user === null ? null : observeUser(user);
    },
  },
  tag_categories: {
    endpoint: 'deleteTagCategory',
    seenBy: 'listTagCategories',
    remove: ({ id }, { writer }) => writer.tags.deleteCategory(id),
    async find({ id }, { reader }) {
      const category = (await reader.tags.listCategories()).find((one) => one.id === id);
      return category === undefined ? null : observeCategory(category);
    },
  },
  customers: {
    endpoint: 'deleteCustomer',
    seenBy: 'listCustomers',
    remove: ({ id }, { writer }) => writer.customers.delete(id),
    async find({ id, values }, { reader, directory }) {
      const external = values.external_unique_id;
      const found = typeof external === 'string' ? await reader.customers.find(external) : null;
      if (found?.id === id) return observeCustomer(found, directory);
      for await (const page of reader.customers.list()) {
        const customer = page.find((one) => one.id === id);
        if (customer !== undefined) return observeCustomer(customer, directory);
      }
      return null;
    },
  },
  projects: {
    endpoint: 'deleteProject',
    seenBy: 'getProject',
    underOwner: true,
    remove: ({ id, values }, { writer }) => writer.projects.delete(textOf(values.customer_id), id),
    async find({ id, values }, { reader, directory }) {
      const customerId = textOf(values.customer_id);
      const project = await reader.projects.get(customerId, id);
      return project === null ? null : observeProject(project, customerId, directory);
    },
  },
};

/** The calls that delete objects, for a purge or an undo. */
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
  const object = needObject(entity, target, deletion, context);
  return {
    name: 'delete',
    endpoint: deletion.endpoint,
    repeat: 'idempotent',
    deletes: true,
    send: () => sendDeletion(() => deletion.remove(object, context)),
    probe: () => deletion.find(object, context),
    seenBy: deletion.seenBy,
  };
}

function needObject(
  entity: Entity,
  target: string | null,
  { underOwner }: Deletion,
  { mirrored }: CallContext,
): Located {
  const object = target === null ? null : mirrored(entity, target);
  if (object === null && target !== null && underOwner !== true) return { id: target, values: {} };
  return needId(object, `The ${TRAITS[entity].singular} ${target ?? ''}`);
}
