import type { Clock } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import type { Json } from '../model/json.js';
import { type Endpoint, type Repeat, repeatOf } from './endpoint.js';
import {
  ENDPOINTS,
  type EndpointName,
  type FileEndpointName,
  formatTemplate,
  type ReadEndpointName,
  type WriteEndpointName,
} from './endpoints.js';
import type { Limiter } from './limiter.js';
import { buildStopped, type Origin } from './network-error.js';
import type { ResponseHead } from './read-response.js';
import type { Retry, Try } from './retry.js';
import { ServiceError } from './service-error.js';
import type { ServiceFile } from './service-file.js';
import type { JsonBody, RawContent, Transport, TransportAnswer, TransportFile, TransportRequest } from './transport.js';

export type QueryValue = string | number | boolean | readonly string[] | null | undefined;

export interface CallRequest<N extends EndpointName = EndpointName> {
  readonly endpoint: N;
  /** Values for the `{…}` of the path, in order and unencoded; they are encoded here. */
  readonly path?: readonly string[];
  /** null and undefined are left out; a list repeats the name of its parameter. */
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: JsonBody;
  /** Sent verbatim, instead of JSON. */
  readonly content?: RawContent;
  /** True if the service sends someone an e-mail because of this call. */
  readonly mails?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface CallAnswer {
  readonly endpoint: EndpointName;
  readonly path: string;
  readonly status: number;
  readonly requestId: string | null;
  readonly body: Json;
  /** Set if the answer is too long for memory; reads the rows of a list in `body`, only once. */
  readonly batches?: TransportAnswer['batches'];
  /** How often the call was sent. */
  readonly attempts: number;
  /** How this call may be repeated if its answer cannot be used. */
  readonly repeat: Repeat;
  readonly baseUrl: string;
}

export type ReadRequest = CallRequest<ReadEndpointName>;
export type WriteRequest = CallRequest<WriteEndpointName>;
/** A call that cannot name a writing endpoint, so code that has only this type cannot write. */
export type ReadCall = (request: ReadRequest) => Promise<CallAnswer>;
export type WriteCall = (request: WriteRequest) => Promise<CallAnswer>;
/** Calls an endpoint that answers with a file; resolves when the file starts. */
export type FileCall = (request: CallRequest<FileEndpointName>) => Promise<ServiceFile>;
/** Fetches a signed link, which may lead to any host, without the API key. The fetch does not count as a call of the account. */
export type LinkCall = (url: URL, signal?: AbortSignal) => Promise<ServiceFile>;

/** One attempt to send a call, for logs, metrics and the audit. */
export interface CallRecord {
  readonly method: Endpoint['method'];
  /** `PUT /api/v1/users/{user_id}` */
  readonly template: string;
  readonly kind: 'read' | 'write';
  /** null without an answer. */
  readonly status: number | null;
  readonly requestId: string | null;
  readonly ms: number;
  /** The time on the service's clock when it answered, in milliseconds since the epoch; null if the answer did not show it. */
  readonly dateMs: number | null;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

export interface CallerOptions {
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly limiter: Limiter;
  readonly retry: Retry;
  readonly clock: Clock;
  readonly beforeWrite: (() => Promise<void>) | null;
  readonly onCall: (call: CallRecord) => void;
}

/** A signed link is not an endpoint, and is often on a different host from the service. */
const LINK = { method: 'GET', template: 'GET (signed link)', kind: 'read' } as const;

/** Combines the three layers: retries contain the limiter, and the limiter contains the transport. */
export class Caller {
  readonly #options: CallerOptions;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  readonly call = async (call: CallRequest): Promise<CallAnswer> => {
    const { baseUrl, retry } = this.#options;
    const request = buildRequest(call);
    const turns = (turn: Try): Promise<TransportAnswer> => this.#sendJson(call.endpoint, request, turn);
    const repeat = repeatOf(ENDPOINTS[call.endpoint], call.mails === true);
    const { value, attempts } = await retry({ repeat }, turns, call.signal);
    const { status, requestId, body, batches } = value;
    const answer = { endpoint: call.endpoint, path: request.path, status, requestId, body, attempts, repeat, baseUrl };
    return batches === undefined ? answer : { ...answer, batches };
  };

  readonly open: FileCall = async (call) => {
    const { transport, retry } = this.#options;
    const request = buildRequest(call);
    const send = (): Promise<TransportFile> => transport.open(request);
    const turns = (turn: Try): Promise<TransportFile> => this.#attempt(call.endpoint, request, turn, send);
    return (await retry(ENDPOINTS[call.endpoint], turns, call.signal)).value.file;
  };

  readonly openLink: LinkCall = async (url, signal) => {
    const { transport, retry } = this.#options;
    const send = (): Promise<TransportFile> => transport.openLink(url, signal);
    const turns = (turn: Try): Promise<TransportFile> => this.#sendOnce(LINK, turn, send);
    return (await retry({ repeat: 'idempotent' }, turns, signal)).value.file;
  };

  async #sendJson(name: EndpointName, request: TransportRequest, turn: Try): Promise<TransportAnswer> {
    try {
      return await this.#attempt(name, request, turn, () => this.#options.transport.send(request));
    } catch (error) {
      // A repeated delete that finds nothing: the earlier attempt, whose answer was lost, did delete the record.
      const isGone = error instanceof ServiceError && error.status === 404;
      if (!isGone || !turn.doubtful || request.method !== 'DELETE') throw error;
      return { status: 404, requestId: error.requestId, headers: { retryAfterMs: null, dateMs: null }, body: null };
    }
  }

  async #attempt<T extends ResponseHead>(
    name: EndpointName,
    { path, signal }: TransportRequest,
    turn: Try,
    send: () => Promise<T>,
  ): Promise<T> {
    const { baseUrl, limiter } = this.#options;
    const { method, kind, family }: Endpoint = ENDPOINTS[name];
    const what = { method, template: formatTemplate(name), kind: kind === 'write' ? kind : 'read' } as const;
    let started = false;
    const task = async (): Promise<T> => {
      if (kind === 'write') await this.#prepareWrite({ method, baseUrl, path }, turn);
      started = true;
      return this.#sendOnce(what, turn, send);
    };
    try {
      return await limiter.run(task, signal, family);
    } catch (error) {
      if (started || !signal?.aborted) throw error;
      throw buildStopped({ method, baseUrl, path }, turn.doubtful ? 'unknown' : 'not_sent');
    }
  }

  async #prepareWrite(origin: Origin, turn: Try): Promise<void> {
    try {
      await this.#options.beforeWrite?.();
    } catch {
      // The caller that supplied `beforeWrite` knows the reason.
      throw buildStopped(origin, turn.doubtful ? 'unknown' : 'not_sent');
    }
  }

  async #sendOnce<T extends ResponseHead>(
    what: Pick<CallRecord, 'method' | 'template' | 'kind'>,
    turn: Try,
    send: () => Promise<T>,
  ): Promise<T> {
    const { clock, onCall } = this.#options;
    const startedMs = clock.now();
    const record = (status: number | null, requestId: string | null, dateMs: number | null): void => {
      onCall({ ...what, status, requestId, ms: clock.now() - startedMs, dateMs, attempt: turn.number });
    };
    try {
      const answer = await send();
      record(answer.status, answer.requestId, answer.headers.dateMs);
      return answer;
    } catch (error) {
      if (error instanceof ServiceError) record(error.status, error.requestId, null);
      throw error;
    }
  }
}

function buildRequest(call: CallRequest): TransportRequest {
  const endpoint: Endpoint = ENDPOINTS[call.endpoint];
  return {
    method: endpoint.method,
    path: fillPath(endpoint.path, call.path ?? []),
    query: formatQuery({ ...call.query, ...(endpoint.multilingual ? { use_legacy_codes: 'false' } : {}) }),
    ...(call.body === undefined ? {} : { body: call.body }),
    ...(call.content === undefined ? {} : { content: call.content }),
    answer: endpoint.answer,
    signal: call.signal,
  };
}

/** An empty or dotted value would address another endpoint, because `PUT …/users/` and `…/users/..` are not about one user. */
function fillPath(template: string, values: readonly string[]): string {
  const left = [...values];
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = left.shift() ?? '';
    if (['', '.', '..'].includes(value)) throw refusePath(template, `needs an identifier for ${name}, got '${value}'`);
    return encodeURIComponent(value);
  });
  if (left.length > 0) throw refusePath(template, `has ${left.length} identifiers too many`);
  return path;
}

function refusePath(template: string, what: string): SyncError {
  return new SyncError('SYNC_INTERNAL', {
    message: `A call ${what}.`,
    place: template,
    remedy: 'This is a defect in talent-sync: report it with the log of the run (LOG_LEVEL=debug).',
  });
}

/** `+00:00` must arrive unchanged, so `+` is sent as %2B. URLSearchParams escapes `+` too, but it writes blanks as `+`. */
function formatQuery(query: Readonly<Record<string, QueryValue>>): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined) continue;
    const items = typeof value === 'object' ? value : [value];
    for (const item of items) parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(item)}`);
  }
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
