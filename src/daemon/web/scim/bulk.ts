import { randomUUID } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import { MOST_BULK_OPERATIONS } from '../../../connectors/scim-protocol/discovery.js';
import { checkMessage, findSent, requireObject } from '../../../connectors/scim-protocol/read-resource.js';
import { locate } from '../../../connectors/scim-protocol/render.js';
import {
  describeScimError,
  invalidSyntax,
  invalidValue,
  ScimError,
} from '../../../connectors/scim-protocol/scim-error.js';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.js';
import type { PushRow } from '../../../store/state/push-store.js';
import { KINDS, type ResourceKind, versionOf } from './kinds.js';
import type { PushContext, ScimAnswer } from './push-context.js';
import { retryBusy } from './retry-busy.js';
import { createResource, deleteResource, patchResource, replaceResource } from './write-resource.js';

/** A resource created by another operation. The id is chosen in advance, so that two new resources may refer to each other. */
interface Created {
  readonly operation: BulkOperation;
  id: string;
  state: 'waiting' | 'created' | 'failed';
  isNamed: boolean;
}

/** The outcome of one operation: the address of its resource, and the response. */
interface BulkOutcome {
  readonly status: number;
  readonly location?: string;
  readonly version?: string;
  readonly response?: JsonObject;
}

const SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:BulkResponse';

/**
 * Answers several writes in one request (RFC 7644, 3.7). Each write succeeds or fails as a unit. A failed write does not
 * stop the others until `failOnErrors` is reached; later operations are then left out of the response. A resource named by
 * a bulkId is created before the operations that refer to it, regardless of their order.
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
  const isOver = (): boolean => errors >= failOnErrors;

  async function carryOut(operation: BulkOperation): Promise<void> {
    if (begun.has(operation) || isOver()) return;
    begun.add(operation);
    const outcome = await answerOperation(operation, { created, context, carryOut, isOver });
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
    if (outcome === undefined) return [];
    const [{ method, bulkId }, { status, ...rest }] = [operation, outcome];
    return [{ method, ...(bulkId === null ? {} : { bulkId }), ...rest, status: String(status) }];
  });
  return { status: 200, body: { schemas: [SCHEMA], Operations: answers } };
}

interface BulkProgress {
  readonly created: ReadonlyMap<string, Created>;
  readonly context: PushContext;
  readonly carryOut: (operation: BulkOperation) => Promise<void>;
  /** True once the number of errors reaches `failOnErrors`. */
  readonly isOver: () => boolean;
}

/** Null if the operation is skipped. */
async function answerOperation(operation: BulkOperation, request: BulkProgress): Promise<BulkOutcome | null> {
  const { created, context, carryOut, isOver } = request;
  const own = operation.method === 'POST' ? created.get(operation.bulkId ?? '') : undefined;
  let address: Pick<BulkOutcome, 'location'> = {};
  try {
    for (const bulkId of listReferences(operation)) {
      const named = created.get(bulkId);
      if (named !== undefined) await carryOut(named.operation);
    }
    if (isOver()) return null;
    const place = readPlace(operation, created);
    if (place.id !== undefined) address = { location: locate(context.base, place.kind.type, place.id) };
    const data = replaceReferences(operation.data, (bulkId) => idOf(bulkId, created));
    const outcome = await retryBusy(() => write(place, { ...operation, data }, own, context));
    if (own !== undefined) own.state = 'created';
    return outcome;
  } catch (error) {
    if (own !== undefined) giveUp(own, context);
    if (!(error instanceof ScimError)) throw error;
    return { status: error.status, ...address, response: describeScimError(error) };
  }
}

/** Marks a resource as failed. A group that refers to it may already exist, if the two refer to each other. */
function giveUp(own: Created, { store, source }: PushContext): void {
  own.state = 'failed';
  if (own.isNamed) store.forgetMember(source, own.id);
}

/** The target of a write. A write without an id creates a resource. */
interface BulkPlace {
  readonly kind: ResourceKind;
  readonly id: string | undefined;
}

function readPlace({ path }: BulkOperation, created: BulkProgress['created']): BulkPlace {
  const [endpoint, id, ...more] = splitBulkPath(path).map((part) =>
    replaceReference(part, (bulkId) => idOf(bulkId, created)),
  );
  const kind = KINDS.find(({ type }) => type.endpoint === endpoint);
  if (kind === undefined || more.length > 0) throw new ScimError(404, 'There is nothing at this path.');
  return { kind, id };
}

function idOf(bulkId: string, created: ReadonlyMap<string, Created>): string {
  const named = created.get(bulkId);
  if (named === undefined) throw invalidValue('No operation of the request creates that bulkId.');
  if (named.state === 'failed') throw invalidValue('The resource that the bulkId names was not created.');
  named.isNamed = true;
  return named.id;
}

function write(
  { kind, id }: BulkPlace,
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
    if (method !== 'POST') throw new ScimError(405, 'This path accepts POST.');
    if (bulkId === null || own === undefined) throw invalidSyntax('A POST needs a bulkId.');
    const row = createResource(kind, data, context, own.id);
    own.id = row.id;
    return answer(201, row);
  }
  const named = { kind, id, ifMatch: version };
  switch (method) {
    case 'PUT':
      return answer(200, replaceResource(named, data, context));
    case 'PATCH': {
      // The example in RFC 7644 sends only the list of operations.
      const message = Array.isArray(data) ? { Operations: data } : data;
      return answer(kind.type.name === 'Group' ? 204 : 200, patchResource(named, message, context));
    }
    case 'DELETE':
      deleteResource(named, context);
      return { status: 204, location: locate(context.base, kind.type, id) };
    default:
      throw new ScimError(405, 'This path accepts PUT, PATCH and DELETE.');
  }
}

/** One write of a bulk request, as sent. The errors of a write are reported when the write is carried out. */
interface BulkOperation {
  readonly method: string;
  /** The id by which other operations refer to the created resource. */
  readonly bulkId: string | null;
  /** The entity tag that the resource must have. */
  readonly version: string | undefined;
  readonly path: string;
  readonly data: Json;
}

interface BulkRequest {
  readonly operations: readonly BulkOperation[];
  /** After this many errors, the remaining operations are skipped. */
  readonly failOnErrors: number;
}

/** Maximum nesting depth of a resource. */
const DEEPEST = 32;
const REFERENCE = /^bulkId:(.+)$/i;

/** @throws ScimError invalidSyntax, invalidValue, or 413 if the request has too many operations */
function readBulk(sent: Json): BulkRequest {
  const body = requireObject(sent);
  checkMessage(body, 'BulkRequest');
  const list = findSent(body, 'Operations');
  if (!Array.isArray(list)) throw invalidSyntax('A bulk request needs a list of Operations.');
  if (list.length > MOST_BULK_OPERATIONS)
    throw new ScimError(413, `The request has more operations than maxOperations (${MOST_BULK_OPERATIONS}).`);
  const failOnErrors = findSent(body, 'failOnErrors') ?? Number.POSITIVE_INFINITY;
  if (typeof failOnErrors !== 'number' || failOnErrors < 1)
    throw invalidValue('failOnErrors must be a whole number, at least 1.');
  const operations = (list as readonly Json[]).map(readOperation);
  const bulkIds = operations.flatMap(({ method, bulkId }) => (method === 'POST' && bulkId !== null ? [bulkId] : []));
  if (new Set(bulkIds).size < bulkIds.length) throw invalidValue('Two operations have the same bulkId.');
  return { operations, failOnErrors };
}

function readOperation(sent: Json): BulkOperation {
  const operation = requireObject(sent);
  const read = (name: string): string | null => {
    const value = findSent(operation, name);
    return typeof value === 'string' && value !== '' ? value : null;
  };
  return {
    method: read('method')?.toUpperCase() ?? '',
    bulkId: read('bulkId'),
    version: read('version') ?? undefined,
    path: read('path') ?? '',
    data: findSent(operation, 'data') ?? null,
  };
}

/** The bulkIds that an operation refers to, in its path and its data. */
function listReferences({ path, data }: BulkOperation): readonly string[] {
  const found = new Set<string>();
  const note = (bulkId: string): string => {
    found.add(bulkId);
    return bulkId;
  };
  for (const part of splitBulkPath(path)) replaceReference(part, note);
  replaceReferences(data, note);
  return [...found];
}

function splitBulkPath(path: string): readonly string[] {
  const [plain = ''] = path.split(/[?#]/);
  return plain.split('/').filter((part) => part !== '');
}

/** Replaces each value that consists of a reference such as `bulkId:jane`. */
function replaceReferences(value: Json, idOf: (bulkId: string) => string, depth = 1): Json {
  if (typeof value === 'string') return replaceReference(value, idOf);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) throw invalidSyntax(`The data has more than ${DEEPEST} levels.`);
  if (!isJsonObject(value)) return value.map((item: Json) => replaceReferences(item, idOf, depth + 1));
  const entries = Object.entries(value).map(
    ([name, item]) => [name, replaceReferences(item, idOf, depth + 1)] as const,
  );
  return Object.fromEntries(entries);
}

function replaceReference(text: string, idOf: (bulkId: string) => string): string {
  const bulkId = REFERENCE.exec(text)?.[1];
  return bulkId === undefined ? text : idOf(bulkId);
}
