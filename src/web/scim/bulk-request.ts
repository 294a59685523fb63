import { isJsonObject, type Json } from '../../model/json.js';
import { MOST_BULK_OPERATIONS } from '../../scim/discovery.js';
import { checkMessage, findSent, requireObject } from '../../scim/read-resource.js';
import { invalidSyntax, invalidValue, ScimError } from '../../scim/scim-error.js';

/** One write among many, as it was sent; what is wrong with it is told when its turn comes. */
export interface BulkOperation {
  readonly method: string;
  /** What others call what this one creates. */
  readonly bulkId: string | null;
  /** The entity tag that it must have. */
  readonly version: string | undefined;
  readonly path: string;
  readonly data: Json;
}

export interface BulkRequest {
  readonly operations: readonly BulkOperation[];
  /** After so many errors nothing more is done. */
  readonly failOnErrors: number;
}

/** Deeper bodies are no resources. */
const DEEPEST = 32;
const REFERENCE = /^bulkId:(.+)$/i;

/** @throws ScimError invalidSyntax, invalidValue, or 413 when it asks too much */
export function readBulk(sent: Json): BulkRequest {
  const body = requireObject(sent);
  checkMessage(body, 'BulkRequest');
  const list = findSent(body, 'Operations');
  if (!Array.isArray(list)) throw invalidSyntax('A bulk request needs a list of Operations.');
  if (list.length > MOST_BULK_OPERATIONS)
    throw new ScimError(413, `The request has more operations than maxOperations (${MOST_BULK_OPERATIONS}).`);
  const failOnErrors = findSent(body, 'failOnErrors') ?? Number.POSITIVE_INFINITY;
  if (typeof failOnErrors !== 'number' || failOnErrors < 1)
    throw invalidValue('failOnErrors is a whole number from 1 on.');
  const operations = (list as readonly Json[]).map(readOperation);
  const bulkIds = operations.flatMap(({ method, bulkId }) => (method === 'POST' && bulkId !== null ? [bulkId] : []));
  if (new Set(bulkIds).size < bulkIds.length) throw invalidValue('Two operations create something under one bulkId.');
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

/** The bulkIds that an operation refers to, in its path and in what it sends. */
export function listReferences({ path, data }: BulkOperation): readonly string[] {
  const found = new Set<string>();
  const note = (bulkId: string): string => {
    found.add(bulkId);
    return bulkId;
  };
  for (const part of splitBulkPath(path)) replaceReference(part, note);
  replaceReferences(data, note);
  return [...found];
}

export function splitBulkPath(path: string): readonly string[] {
  const [plain = ''] = path.split(/[?#]/);
  return plain.split('/').filter((part) => part !== '');
}

/** `bulkId:jane` wherever it stands as a value of its own. */
export function replaceReferences(value: Json, idOf: (bulkId: string) => string, depth = 1): Json {
  if (typeof value === 'string') return replaceReference(value, idOf);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) throw invalidSyntax(`The data has more than ${DEEPEST} levels.`);
  if (!isJsonObject(value)) return value.map((item: Json) => replaceReferences(item, idOf, depth + 1));
  const entries = Object.entries(value).map(
    ([name, item]) => [name, replaceReferences(item, idOf, depth + 1)] as const,
  );
  return Object.fromEntries(entries);
}

export function replaceReference(text: string, idOf: (bulkId: string) => string): string {
  const bulkId = REFERENCE.exec(text)?.[1];
  return bulkId === undefined ? text : idOf(bulkId);
}
