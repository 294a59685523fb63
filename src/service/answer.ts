import * as z from 'zod';
import type { Json } from '../model/json.js';
import type { CallAnswer, CallRequest, ReadCall, WriteCall } from './call.js';
import type { Endpoint } from './endpoint.js';
import { ENDPOINTS, type ReadEndpointName, type WriteEndpointName } from './endpoints.js';
import { readAsIs } from './record-as-is.js';
import { ServiceError } from './service-error.js';
import { findList } from './wire-values.js';

/** The result of a write: the value, and the details of the call for the audit. */
export interface WriteResult<T> {
  readonly value: T;
  readonly requestId: string | null;
  /** 404 only if a repeated delete found the record already gone. */
  readonly status: number;
  /** How often the call was sent. */
  readonly attempts: number;
}
export type Writing<T> = Promise<WriteResult<T>>;

/** @throws ServiceError SYNC_SERVICE_ANSWER; or, if the result of a create is not readable, SYNC_SERVICE_UNKNOWN_OUTCOME */
export function parseAnswer<T extends z.ZodType>(answer: CallAnswer, schema: T): z.output<T> {
  const parsed = schema.safeParse(answer.body);
  if (parsed.success) return parsed.data;
  throw refuseShape(answer, parsed.error, []);
}

/** Rows of a list: all in one array, or in batches. */
export type Rows<T> = readonly T[] | AsyncIterable<readonly T[]>;

/**
 * Parses the rows of a list, one by one, and stops at the first invalid row. The list may be the answer itself, be under
 * one of the names in `wrappers`, or be the only list of an object.
 * @throws ServiceError if a row, or the list itself, has an unexpected shape.
 */
export function parseRows<T extends z.ZodType>(
  answer: CallAnswer,
  row: T,
  ...wrappers: readonly string[]
): Rows<z.output<T>> {
  const found = z.array(z.unknown()).safeParse(findList(answer.body, wrappers));
  if (!found.success) throw refuseShape(answer, found.error, []);
  let position = 0;
  const asIs = readAsIs(row);
  const parseRow = (value: unknown): z.output<T> => {
    const known = asIs(value);
    if (known !== undefined) {
      position++;
      return known;
    }
    const parsed = row.safeParse(value);
    if (!parsed.success) throw refuseShape(answer, parsed.error, [position]);
    position++;
    return parsed.data;
  };
  const { batches } = answer;
  const list = findList(answer.body, wrappers) as readonly Json[];
  if (batches === undefined) return list.map(parseRow);
  return (async function* () {
    for await (const batch of batches(list)) yield batch.map(parseRow);
  })();
}

/** More rows than any list that must fit in memory. */
const MOST_AT_ONCE = 50_000;

/** Like {@link parseRows}, for lists whose rows must all be in memory. */
export async function collectRows<T extends z.ZodType>(
  answer: CallAnswer,
  row: T,
  ...wrappers: readonly string[]
): Promise<readonly z.output<T>[]> {
  const parsed = parseRows(answer, row, ...wrappers);
  if (!(Symbol.asyncIterator in parsed)) return parsed;
  const rows: z.output<T>[] = [];
  for await (const batch of parsed) {
    rows.push(...batch);
    if (rows.length > MOST_AT_ONCE)
      throw serviceAnswerError(answer, `Answered ${answer.status} with more than ${MOST_AT_ONCE} rows.`);
  }
  return rows;
}

function refuseShape(answer: CallAnswer, error: z.ZodError, at: readonly number[]): ServiceError {
  const issue = error.issues[0];
  const path = [...at, ...(issue?.path ?? [])];
  const where = path.length === 0 ? 'its top' : `/${path.map(String).join('/')}`;
  const what = `an unexpected shape at ${where}: ${issue?.message ?? 'unknown'}`;
  return serviceAnswerError(answer, `Answered ${answer.status} with ${what}.`);
}

/** The error for a successful answer that cannot be used. */
export function serviceAnswerError(answer: CallAnswer, message: string): ServiceError {
  const endpoint: Endpoint = ENDPOINTS[answer.endpoint];
  return new ServiceError({
    code: answer.repeat === 'idempotent' ? 'SYNC_SERVICE_ANSWER' : 'SYNC_SERVICE_UNKNOWN_OUTCOME',
    message,
    method: endpoint.method,
    baseUrl: answer.baseUrl,
    path: answer.path,
    fault: 'answer',
    outcome: 'unknown',
    repeat: answer.repeat,
    status: answer.status,
    requestId: answer.requestId,
  });
}

type CallDetails = Omit<CallRequest, 'endpoint'>;

/** Sends reads and parses their answers. */
export class Reads {
  constructor(readonly call: ReadCall) {}

  /** Reads one record; null if the service answers 404 because there is no such record. */
  async record<T extends z.ZodType>(
    endpoint: ReadEndpointName,
    schema: T,
    sent: CallDetails,
  ): Promise<z.output<T> | null> {
    const answer = await nullIfUnknown(this.call({ endpoint, ...sent }));
    return answer === null ? null : parseAnswer(answer, schema);
  }

  /** Reads all rows of a list that has no pages. */
  async rows<T extends z.ZodType>(
    endpoint: ReadEndpointName,
    row: T,
    sent: CallDetails,
    ...wrappers: readonly string[]
  ): Promise<readonly z.output<T>[]> {
    return collectRows(await this.call({ endpoint, ...sent }), row, ...wrappers);
  }
}

export async function nullIfUnknown(answer: Promise<CallAnswer>): Promise<CallAnswer | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return null;
    throw error;
  }
}

/** Sends writes and parses their answers. */
export class Writes {
  readonly #call: WriteCall;

  constructor(call: WriteCall) {
    this.#call = call;
  }

  /** Calls an endpoint that answers with the record. */
  async record<T extends z.ZodType>(endpoint: WriteEndpointName, schema: T, sent: CallDetails): Writing<z.output<T>> {
    const answer = await this.#call({ endpoint, ...sent });
    return buildResult(answer, parseAnswer(answer, schema));
  }

  /** Calls an endpoint whose answer the spec does not show; the value is the record if the answer contains one, otherwise null. */
  async shown<T extends z.ZodType>(
    endpoint: WriteEndpointName,
    schema: T,
    sent: CallDetails,
  ): Writing<z.output<T> | null> {
    const answer = await this.#call({ endpoint, ...sent });
    return buildResult(answer, schema.safeParse(answer.body).data ?? null);
  }

  /** Calls an endpoint whose answer has no useful content. */
  async empty(endpoint: WriteEndpointName, sent: CallDetails): Writing<null> {
    return buildResult(await this.#call({ endpoint, ...sent }), null);
  }
}

function buildResult<T>({ requestId, status, attempts }: CallAnswer, value: T): WriteResult<T> {
  return { value, requestId, status, attempts };
}
