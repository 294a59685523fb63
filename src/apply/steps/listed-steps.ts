import { type Entity, TRAITS } from '../../model/entity.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { EndpointName } from '../../service/endpoints.js';
import type { ServiceReader } from '../../service/talent-service.js';
import { needId } from '../resolve-ids.js';
import type { ActionEndpoints, CallContext, EntityCalls, Step, StepResult } from '../step.js';

/** A change to an existing object, with its known state. */
export interface ListedChange extends Change {
  readonly target: string;
  readonly known: Observed | null;
}

/** A kind of object that the service returns as one complete list. Every look after a lost answer reads this list. */
export interface ListedKind {
  readonly entity: Entity;
  readonly seenBy: EndpointName;
  list(reader: ServiceReader): Promise<readonly Observed[]>;
  readonly creation: {
    readonly endpoint: EndpointName;
    /** Resolves names when the step is built, so that an unknown name stops the change before anything is sent. */
    build(change: Change, context: CallContext): Pick<Step, 'send'> & { isMade(found: Observed): boolean };
  };
  readonly update: {
    readonly endpoint: EndpointName;
    /** Returns no object if the service returns none. */
    send(change: ListedChange, context: CallContext): Promise<StepResult>;
  };
  readonly deletion?: {
    readonly endpoint: EndpointName;
    send(target: string, context: CallContext): Promise<StepResult>;
  };
}

export function callsOfListed(kind: ListedKind): EntityCalls {
  const { creation, update, deletion = update } = kind;
  const endpoints: ActionEndpoints = { create: creation.endpoint, delete: deletion.endpoint };
  return {
    endpoints: ({ action }) => [endpoints[action] ?? update.endpoint],
    build: (change, context) => [buildStep(change, kind, context)],
  };
}

function buildStep(change: Change, kind: ListedKind, context: CallContext): Step {
  const { target, action } = change;
  if (target === null) return buildCreate(change, kind, context);
  return action === 'delete' ? buildDeletion(target, kind, context) : buildUpdate({ ...change, target }, kind, context);
}

async function findInList(
  { list }: ListedKind,
  { reader }: CallContext,
  isSought: (found: Observed) => boolean,
): Promise<Observed | null> {
  return (await list(reader)).find(isSought) ?? null;
}

function buildCreate(change: Change, kind: ListedKind, context: CallContext): Step {
  const { send, isMade } = kind.creation.build(change, context);
  return {
    name: 'create',
    endpoint: kind.creation.endpoint,
    repeat: 'probe',
    seenBy: kind.seenBy,
    send,
    probe: () => findInList(kind, context, isMade),
  };
}

function buildUpdate(change: Omit<ListedChange, 'known'>, kind: ListedKind, context: CallContext): Step {
  const { entity, update, seenBy } = kind;
  const { target } = change;
  const probe = (): Promise<Observed | null> => findInList(kind, context, ({ id }) => id === target);
  return {
    name: 'update',
    endpoint: update.endpoint,
    repeat: 'idempotent',
    seenBy,
    async send(previous) {
      const sent = await update.send({ ...change, known: previous ?? context.mirrored(entity, target) }, context);
      if (sent.observed !== null) return sent;
      return { ...sent, observed: needId(await probe(), `The ${TRAITS[entity].singular}`), answered: false };
    },
    probe,
  };
}

function buildDeletion(target: string, kind: ListedKind, context: CallContext): Step {
  const { deletion, entity, seenBy } = kind;
  if (deletion === undefined) throw new Error(`${entity} cannot be deleted on their own`);
  return {
    name: 'delete',
    endpoint: deletion.endpoint,
    repeat: 'probe',
    seenBy,
    deletes: true,
    send: () => deletion.send(target, context),
    probe: () => findInList(kind, context, ({ id }) => id === target),
  };
}
