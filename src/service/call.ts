import type { Clock } from '../clock.js';
import { SyncError } from '../errors.js';
import type { Json } from '../model/json.js';
import {
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
  formatTemplate,
  type ReadEndpointName,
  type WriteEndpointName,
} from './endpoints.js';
import type { Limiter } from './limiter.js';
import type { Retry, Try } from './retry.js';
import { ServiceError } from './service-error.js';
import { buildStopped, type Transport, type TransportAnswer, type TransportRequest } from './transport.js';

export type QueryValue = string | number | boolean | readonly string[] | null | undefined;

export interface CallRequest<N extends EndpointName = EndpointName> {
  readonly endpoint: N;
  /** Values of the `{…}` of the path, as they are; they are encoded here. */
  readonly path?: Readonly<Record<string, string>>;
  /** null and undefined are left out; a list repeats its name. */
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: Json;
  readonly signal?: AbortSignal | undefined;
}

export interface CallAnswer {
  readonly endpoint: EndpointName;
  readonly path: string;
  readonly status: number;
  readonly requestId: string | null;
  readonly body: Json;
  /** Times it was sent. */
  readonly attempts: number;
  readonly baseUrl: string;
}

/** Cannot name an endpoint that changes anything: what holds only this cannot write. */
export type ReadCall = (request: CallRequest<ReadEndpointName>) => Promise<CallAnswer>;
export type WriteCall = (request: CallRequest<WriteEndpointName>) => Promise<CallAnswer>;

/** One sending of one call, for logs, metrics and the audit. */
export interface CallRecord {
  readonly method: Endpoint['method'];
  /** `PUT /api/v1/users/{user_id}` */
  readonly template: string;
  readonly kind: Endpoint['kind'];
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

/** Puts the three layers together: retry ( limiter ( transport ) ). */
export function createCaller(options: CallerOptions): (request: CallRequest) => Promise<CallAnswer> {
  const { baseUrl, transport, limiter, retry, clock } = options;

  async function sendOnce(name: EndpointName, request: TransportRequest, turn: Try): Promise<TransportAnswer> {
    const endpoint: Endpoint = ENDPOINTS[name];
    const startedMs = clock.now();
    const record = (status: number | null, requestId: string | null, dateMs: number | null): void =>
      options.onCall({
        method: endpoint.method,
        template: formatTemplate(name),
        kind: endpoint.kind,
        status,
        requestId,
        ms: clock.now() - startedMs,
        dateMs,
        attempt: turn.number,
      });
    try {
      const answer = await transport.send(request);
      record(answer.status, answer.requestId, answer.headers.dateMs);
      return answer;
    } catch (error) {
      if (error instanceof ServiceError) record(error.status, error.requestId, null);
      throw error;
    }
  }

  async function attempt(name: EndpointName, request: TransportRequest, turn: Try): Promise<TransportAnswer> {
    let started = false;
    const task = (): Promise<TransportAnswer> => {
      started = true;
      return sendOnce(name, request, turn);
    };
    try {
      return await limiter.run(task, request.signal);
    } catch (error) {
      if (!started && request.signal?.aborted) {
        throw buildStopped(
          { method: request.method, baseUrl, path: request.path },
          turn.doubtful ? 'unknown' : 'not_sent',
        );
      }
      // A delete that finds nothing after a lost answer had been carried out.
      const gone =
        turn.doubtful && request.method === 'DELETE' && error instanceof ServiceError && error.status === 404;
      if (!gone) throw error;
      return { status: 404, requestId: error.requestId, headers: { retryAfterMs: null, dateMs: null }, body: null };
    }
  }

  return async (call) => {
    const endpoint: Endpoint = ENDPOINTS[call.endpoint];
    const request: TransportRequest = {
      method: endpoint.method,
      path: fillPath(endpoint.path, call.path ?? {}),
      query: formatQuery({ ...call.query, ...(endpoint.multilingual ? { use_legacy_codes: 'false' } : {}) }),
      ...(call.body === undefined ? {} : { body: call.body }),
      signal: call.signal,
    };
    const { value, attempts } = await retry(endpoint, (turn) => attempt(call.endpoint, request, turn), call.signal);
    const { status, requestId, body } = value;
    return { endpoint: call.endpoint, path: request.path, status, requestId, body, attempts, baseUrl };
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
