import type { Clock } from '../clock.js';
import { SyncError } from '../errors.js';
import type { Json } from '../model/json.js';
import type { Endpoint } from './endpoint.js';
import {
  ENDPOINTS,
  type EndpointName,
  type FileEndpointName,
  formatTemplate,
  type ReadEndpointName,
  type WriteEndpointName,
} from './endpoints.js';
import type { Limiter } from './limiter.js';
import { buildStopped } from './network-error.js';
import type { ResponseHead } from './read-response.js';
import type { Retry, Try } from './retry.js';
import { ServiceError } from './service-error.js';
import type { ServiceFile } from './service-file.js';
import type { JsonBody, RawContent, Transport, TransportAnswer, TransportFile, TransportRequest } from './transport.js';

export type QueryValue = string | number | boolean | readonly string[] | null | undefined;

export interface CallRequest<N extends EndpointName = EndpointName> {
  readonly endpoint: N;
  /** Values of the `{…}` of the path, as they are; they are encoded here. */
  readonly path?: Readonly<Record<string, string>>;
  /** null and undefined are left out; a list repeats its name. */
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: JsonBody;
  /** Sent as it is, instead of JSON. */
  readonly content?: RawContent;
  readonly signal?: AbortSignal | undefined;
}

export interface CallAnswer {
  readonly endpoint: EndpointName;
  readonly path: string;
  readonly status: number;
  readonly requestId: string | null;
  readonly body: Json;
  /** Of an answer too long to be held: the rows of a list in `body`, to be read once. */
  readonly batches?: TransportAnswer['batches'];
  /** Times it was sent. */
  readonly attempts: number;
  readonly baseUrl: string;
}

export type ReadRequest = CallRequest<ReadEndpointName>;
export type WriteRequest = CallRequest<WriteEndpointName>;
/** Cannot name an endpoint that changes anything: what holds only this cannot write. */
export type ReadCall = (request: ReadRequest) => Promise<CallAnswer>;
export type WriteCall = (request: WriteRequest) => Promise<CallAnswer>;
/** For answers that are files: resolves when the file starts. */
export type FileCall = (request: CallRequest<FileEndpointName>) => Promise<ServiceFile>;
/** Fetches a signed link, which may lead anywhere, without the key. It does not count as a call of the account. */
export type LinkCall = (url: URL, signal?: AbortSignal) => Promise<ServiceFile>;

/** One sending of one call, for logs, metrics and the audit. */
export interface CallRecord {
  readonly method: Endpoint['method'];
  /** `PUT /api/v1/users/{user_id}` */
  readonly template: string;
  readonly kind: 'read' | 'write';
  /** null: no answer. */
  readonly status: number | null;
  readonly requestId: string | null;
  readonly ms: number;
  /** The service's clock in its answer, milliseconds since the epoch; null when it told none. */
  readonly dateMs: number | null;
  /** 1 for the first sending. */
  readonly attempt: number;
}

export interface CallerOptions {
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly limiter: Limiter;
  readonly retry: Retry;
  readonly clock: Clock;
  readonly onCall: (call: CallRecord) => void;
}

export interface Caller {
  readonly call: (request: CallRequest) => Promise<CallAnswer>;
  readonly open: FileCall;
  readonly openLink: LinkCall;
}

/** A signed link is no endpoint, and often not even the service's own host. */
const LINK = { method: 'GET', template: 'GET (signed link)', kind: 'read' } as const;

/** Puts the three layers together: retry ( limiter ( transport ) ). */
export function createCaller(options: CallerOptions): Caller {
  const { baseUrl, transport, limiter, retry, clock } = options;

  async function sendOnce<T extends ResponseHead>(
    what: Pick<CallRecord, 'method' | 'template' | 'kind'>,
    turn: Try,
    send: () => Promise<T>,
  ): Promise<T> {
    const startedMs = clock.now();
    const record = (status: number | null, requestId: string | null, dateMs: number | null): void => {
      const ms = clock.now() - startedMs;
      options.onCall({ ...what, status, requestId, ms, dateMs, attempt: turn.number });
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

  async function attempt<T extends ResponseHead>(
    name: EndpointName,
    request: TransportRequest,
    turn: Try,
    send: (request: TransportRequest) => Promise<T>,
  ): Promise<T> {
    const { method, kind, family }: Endpoint = ENDPOINTS[name];
    const what = { method, template: formatTemplate(name), kind: kind === 'write' ? kind : 'read' } as const;
    let started = false;
    const task = (): Promise<T> => {
      started = true;
      return sendOnce(what, turn, () => send(request));
    };
    try {
      return await limiter.run(task, request.signal, family);
    } catch (error) {
      if (started || !request.signal?.aborted) throw error;
      throw buildStopped({ method, baseUrl, path: request.path }, turn.doubtful ? 'unknown' : 'not_sent');
    }
  }

  async function sendJson(name: EndpointName, request: TransportRequest, turn: Try): Promise<TransportAnswer> {
    try {
      return await attempt(name, request, turn, (one) => transport.send(one));
    } catch (error) {
      // A delete that finds nothing after a lost answer had been carried out.
      const gone =
        turn.doubtful && request.method === 'DELETE' && error instanceof ServiceError && error.status === 404;
      if (!gone) throw error;
      return { status: 404, requestId: error.requestId, headers: { retryAfterMs: null, dateMs: null }, body: null };
    }
  }

  return {
    async call(call) {
      const request = buildRequest(call);
      const turns = (turn: Try): Promise<TransportAnswer> => sendJson(call.endpoint, request, turn);
      const { value, attempts } = await retry(ENDPOINTS[call.endpoint], turns, call.signal);
      const { status, requestId, body, batches } = value;
      const answer = { endpoint: call.endpoint, path: request.path, status, requestId, body, attempts, baseUrl };
      return batches === undefined ? answer : { ...answer, batches };
    },
    async open(call) {
      const request = buildRequest(call);
      const turns = (turn: Try): Promise<TransportFile> =>
        attempt(call.endpoint, request, turn, (one) => transport.open(one));
      return (await retry(ENDPOINTS[call.endpoint], turns, call.signal)).value.file;
    },
    async openLink(url, signal) {
      const turns = (turn: Try): Promise<TransportFile> => sendOnce(LINK, turn, () => transport.openLink(url, signal));
      return (await retry({ repeat: 'idempotent' }, turns, signal)).value.file;
    },
  };
}

function buildRequest(call: CallRequest): TransportRequest {
  const endpoint: Endpoint = ENDPOINTS[call.endpoint];
  return {
    method: endpoint.method,
    path: fillPath(endpoint.path, call.path ?? {}),
    query: formatQuery({ ...call.query, ...(endpoint.multilingual ? { use_legacy_codes: 'false' } : {}) }),
    ...(call.body === undefined ? {} : { body: call.body }),
    ...(call.content === undefined ? {} : { content: call.content }),
    answer: endpoint.answer,
    signal: call.signal,
  };
}

/** An empty or dotted value would name another endpoint: `PUT …/users/` and `…/users/..` are not about one user. */
function fillPath(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    if (value === '' || value === '.' || value === '..') {
      throw new SyncError('SYNC_INTERNAL', {
        message: `A call needs an identifier for ${name}, got '${value}'.`,
        place: template,
        remedy: 'This is a defect in talent-sync: report it with the log of the run (LOG_LEVEL=debug).',
      });
    }
    return encodeURIComponent(value);
  });
}

/** `+00:00` must arrive as it is, so `+` is sent as %2B; URLSearchParams would do too but writes blanks as `+`. */
function formatQuery(query: Readonly<Record<string, QueryValue>>): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined) continue;
    const items = typeof value === 'object' ? value : [value];
    for (const item of items) parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(item)}`);
  }
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
