import { randomUUID } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Json, JsonObject } from '../../model/json.js';
import { locate } from '../../scim/render.js';
import { describeScimError, ScimError } from '../../scim/scim-error.js';
import type { PushRow } from '../../store/state/push-store.js';
import {
  type BulkOperation,
  listReferences,
  readBulk,
  replaceReference,
  replaceReferences,
  splitBulkPath,
} from './bulk-request.js';
import { versionOf } from './entity-tags.js';
import { KINDS, type ResourceKind } from './kinds.js';
import type { PushContext, ScimAnswer } from './push-context.js';
import { retryBusy } from './retry-busy.js';
import { createResource, deleteResource, patchResource, replaceResource } from './write-resource.js';

/** What another operation creates: its id is settled before it is there, so that two may name each other. */
interface Created {
  readonly operation: BulkOperation;
  id: string;
  state: 'waiting' | 'created' | 'failed';
  isNamed: boolean;
}

/** What became of one operation: where it lies, and how it is answered. */
interface BulkOutcome {
  readonly status: number;
  readonly location?: string;
  readonly version?: string;
  readonly response?: JsonObject;
}

const SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:BulkResponse';

/**
 * Many writes in one request (RFC 7644, 3.7). Each is carried out whole or not at all, and one that fails stops no other
 * until `failOnErrors` is reached; what comes after that is not in the answer. What an operation names by a bulkId is
 * created before it, wherever it is in the list.
 */
export async function answerBulk(sent: Json, context: PushContext): Promise<ScimAnswer> {
  const { operations, failOnErrors } = readBulk(sent);
  const created = new Map<string, Created>();
  for (const operation of operations) {
    if (operation.method === 'POST' && operation.bulkId !== null)
      created.set(operation.bulkId, { operation, id: randomUUID(), state: 'waiting', isNamed: false });
  }
  const begun = new Set<BulkOperation>();
  const outcomes = new Map<BulkOperation, BulkOutcome>();
  let errors = 0;

  async function carryOut(operation: BulkOperation): Promise<void> {
    if (begun.has(operation) || errors >= failOnErrors) return;
    begun.add(operation);
    const outcome = await answerOperation(operation, created, context, carryOut, () => errors >= failOnErrors);
    if (outcome === null) return;
    outcomes.set(operation, outcome);
    if (outcome.status >= 400) errors++;
  }
  for (const operation of operations) {
    await carryOut(operation);
    await breathe();
  }
  const answers = operations.flatMap((operation) => {
    const outcome = outcomes.get(operation);
    return outcome === undefined ? [] : [describeOutcome(operation, outcome)];
  });
  return { status: 200, body: { schemas: [SCHEMA], Operations: answers } };
}

/** null where so much has failed before it that it is left undone. */
async function answerOperation(
  operation: BulkOperation,
  created: ReadonlyMap<string, Created>,
  context: PushContext,
  carryOut: (operation: BulkOperation) => Promise<void>,
  isOver: () => boolean,
): Promise<BulkOutcome | null> {
  const own = operation.method === 'POST' ? created.get(operation.bulkId ?? '') : undefined;
  let address: Pick<BulkOutcome, 'location'> = {};
  try {
    for (const bulkId of listReferences(operation)) {
      const named = created.get(bulkId);
      if (named !== undefined) await carryOut(named.operation);
    }
    if (isOver()) return null;
    const parts = splitBulkPath(operation.path).map((part) =>
      replaceReference(part, (bulkId) => idOf(bulkId, created)),
    );
    const kind = KINDS.find(({ type }) => type.endpoint === parts[0]);
    if (kind === undefined || parts.length > 2) throw new ScimError(404, 'There is nothing at this path.');
    const [, id] = parts;
    if (id !== undefined) address = { location: locate(context.base, kind.type, id) };
    const data = replaceReferences(operation.data, (bulkId) => idOf(bulkId, created));
    const outcome = await retryBusy(() => write(kind, id, { ...operation, data }, own, context));
    if (own !== undefined) own.state = 'created';
    return outcome;
  } catch (error) {
    if (own !== undefined) {
      own.state = 'failed';
      // Another one may have named it meanwhile: a group that it is in, where each names the other.
      if (own.isNamed) context.store.forgetMember(context.source, own.id);
    }
    if (!(error instanceof ScimError)) throw error;
    return { status: error.status, ...address, response: describeScimError(error) };
  }
}

function idOf(bulkId: string, created: ReadonlyMap<string, Created>): string {
  const named = created.get(bulkId);
  if (named === undefined) throw new ScimError(400, 'No operation of the request creates that bulkId.', 'invalidValue');
  if (named.state === 'failed') throw new ScimError(400, 'What the bulkId names was not created.', 'invalidValue');
  named.isNamed = true;
  return named.id;
}

function write(
  kind: ResourceKind,
  id: string | undefined,
  { method, bulkId, version, data }: BulkOperation,
  own: Created | undefined,
  context: PushContext,
): BulkOutcome {
  const answer = (status: number, row: PushRow): BulkOutcome => ({
    status,
    location: locate(context.base, kind.type, row.id),
    version: versionOf(kind, row, context),
  });
  if (id === undefined) {
    if (method !== 'POST') throw new ScimError(405, 'This path takes POST.');
    if (bulkId === null || own === undefined) throw new ScimError(400, 'A POST needs a bulkId.', 'invalidSyntax');
    const row = createResource(kind, data, context, own.id);
    own.id = row.id;
    return answer(201, row);
  }
  switch (method) {
    case 'PUT':
      return answer(200, replaceResource(kind, id, data, version, context));
    case 'PATCH': {
      // RFC 7644 shows the operations themselves in its example.
      const message = Array.isArray(data) ? { Operations: data } : data;
      return answer(kind.type.name === 'Group' ? 204 : 200, patchResource(kind, id, message, version, context));
    }
    case 'DELETE':
      deleteResource(kind, id, version, context);
      return { status: 204, location: locate(context.base, kind.type, id) };
    default:
      throw new ScimError(405, 'This path takes PUT, PATCH and DELETE.');
  }
}

function describeOutcome({ method, bulkId }: BulkOperation, { status, ...rest }: BulkOutcome): JsonObject {
  return { method, ...(bulkId === null ? {} : { bulkId }), ...rest, status: String(status) };
}
