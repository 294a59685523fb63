import { Agent } from 'undici';
import { SyncError } from '../errors.js';
import type { Json } from '../model/json.js';
import type { HttpMethod } from './endpoints.js';
import { codeOfStatus, readWords, ServiceError, type ServiceErrorInit } from './service-error.js';

export interface TransportOptions {
  /** Origin and optional path, without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
  /** Sockets kept to the service. */
  readonly connections: number;
  /** Late-bound `globalThis.fetch` by default: whoever replaces the global later is heard. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface TransportRequest {
  readonly method: HttpMethod;
  /** Already percent-encoded, without the query. */
  readonly path: string;
  /** Already percent-encoded, with its `?`, or empty. */
  readonly query: string;
  readonly body?: Json;
  readonly signal?: AbortSignal | undefined;
}

export interface TransportAnswer {
  readonly status: number;
  /** `x-request-id` (spec, Conventions 3). */
  readonly requestId: string | null;
  readonly headers: { readonly retryAfterMs: number | null; readonly dateMs: number | null };
  /** null for an empty body. */
  readonly body: Json;
}

export interface Transport {
  /** One HTTP call, sent once. @throws ServiceError for everything but a readable 2xx. */
  send(request: TransportRequest): Promise<TransportAnswer>;
  close(): Promise<void>;
}

/** What a call has in common with its errors. */
type Origin = Pick<ServiceErrorInit, 'method' | 'baseUrl' | 'path'>;

/** Connection never came about, so nothing was sent. `UND_ERR_CONNECT_TIMEOUT` is undici's, the TLS ones are OpenSSL's. */
const UNSENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_.*|ERR_TLS_.*|UNABLE_TO_.*|SELF_SIGNED_.*|DEPTH_ZERO_.*)$/;

export function createTransport(options: TransportOptions): Transport {
  const { baseUrl, apiKey, timeoutMs } = options;
  // fetch would quote a malformed header, and with it the key, in its own error.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new SyncError('SYNC_CONFIG_SECRET', {
      message: 'The API key is empty or holds white space or other characters that no HTTP header may carry.',
      place: 'service.api_key',
      remedy: 'Look for a line break or a quotation mark at the end of the secret.',
    });
  }
  const send = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const agent = new Agent({ connections: options.connections, keepAliveTimeout: 4_000, pipelining: 1 });
  // Node's own fetch types name an older undici; the dispatchers are compatible at run time.
  const dispatcher = agent as unknown as NonNullable<NonNullable<Parameters<typeof send>[1]>['dispatcher']>;
  // A key of a letter or two, as in a trial, would blot out half of every message.
  const redact = (text: string): string => (apiKey.length < 6 ? text : text.replaceAll(apiKey, '[key]'));

  async function exchange(
    request: TransportRequest,
    signal: AbortSignal,
  ): Promise<{ response: Response; text: string | Error }> {
    const response = await send(`${baseUrl}${request.path}${request.query}`, {
      method: request.method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      // A redirect is no answer of this interface, and following one would turn a POST into a GET.
      redirect: 'manual',
      signal,
      dispatcher,
    });
    const text = await response.text().catch((cause: unknown) => asError(cause));
    return { response, text };
  }

  return {
    async send(request) {
      const origin: Origin = { method: request.method, baseUrl, path: request.path };
      if (request.signal?.aborted) throw buildStopped(origin, 'not_sent');
      const controller = new AbortController();
      const abort = (): void => controller.abort();
      let timedOut = false;
      const timer = setTimeout(() => {
        timedOut = true;
        controller.abort();
      }, timeoutMs);
      request.signal?.addEventListener('abort', abort, { once: true });
      try {
        const { response, text } = await exchange(request, controller.signal);
        return readResponse(origin, response, text, redact);
      } catch (error) {
        if (error instanceof ServiceError) throw nameInterruption(error);
        throw nameInterruption(buildNetworkError(origin, asError(error), redact));
      } finally {
        clearTimeout(timer);
        request.signal?.removeEventListener('abort', abort);
      }

      function nameInterruption(error: ServiceError): ServiceError {
        if (error.fault !== 'network') return error;
        if (timedOut) {
          return new ServiceError({ ...error.init, message: `No answer within ${timeoutMs} ms.`, cause: error.cause });
        }
        return request.signal?.aborted ? buildStopped(origin, 'unknown') : error;
      }
    },
    close: () => agent.close(),
  };
}

/** The caller gave up: before anything was sent, or while the answer was awaited. */
export function buildStopped(origin: Origin, outcome: 'not_sent' | 'unknown'): ServiceError {
  return new ServiceError({
    ...origin,
    code: 'SYNC_SERVICE_DOWN',
    message: outcome === 'not_sent' ? 'Stopped before the call was sent.' : 'Stopped while the answer was awaited.',
    fault: 'stopped',
    outcome,
  });
}

function buildNetworkError(origin: Origin, error: Error, redact: (text: string) => string): ServiceError {
  const { code, message } = describeCause(error);
  const unsent = UNSENT.test(code);
  const what = redact(code === '' ? message : `${code}: ${message}`);
  return new ServiceError({
    ...origin,
    code: 'SYNC_SERVICE_DOWN',
    message: unsent
      ? `The service could not be reached (${what}).`
      : `The connection broke before the answer was whole (${what}).`,
    fault: unsent ? 'unsent' : 'network',
    outcome: unsent ? 'not_sent' : 'unknown',
    // A copy: fetch's own errors may carry the request, and with it the header.
    cause: new Error(what),
  });
}

/** fetch wraps the reason in a `cause`, and a host of several addresses wraps that in an AggregateError. */
function describeCause(error: Error): { readonly code: string; readonly message: string } {
  let deepest: Error = error;
  let code = '';
  for (let depth = 0; depth < 5; depth += 1) {
    const own: unknown = 'code' in deepest ? deepest.code : undefined;
    if (typeof own === 'string') code = own;
    const inner: unknown = deepest instanceof AggregateError ? deepest.errors[0] : deepest.cause;
    if (!(inner instanceof Error)) break;
    deepest = inner;
  }
  return { code, message: deepest.message };
}

function readResponse(
  origin: Origin,
  response: Response,
  text: string | Error,
  redact: (text: string) => string,
): TransportAnswer {
  const { status } = response;
  const requestId = response.headers.get('x-request-id');
  const dateMs = readDateMs(response.headers.get('date'));
  const retryAfterMs = readRetryAfterMs(response.headers.get('retry-after'), dateMs);
  if (status >= 200 && status < 300) {
    if (typeof text !== 'string') {
      const lost = buildNetworkError(origin, text, redact);
      throw new ServiceError({ ...lost.init, fault: 'network', outcome: 'unknown', status, requestId });
    }
    const body = text === '' && origin.method !== 'GET' ? null : parseJson(text);
    if (body !== undefined) return { status, requestId, headers: { retryAfterMs, dateMs }, body };
    throw new ServiceError({
      ...origin,
      code: 'SYNC_SERVICE_ANSWER',
      message: `Answered ${status} with something that is not JSON: ${redact(readWords(text, null)) || 'an empty body'}.`,
      fault: 'answer',
      outcome: 'unknown',
      status,
      requestId,
    });
  }
  const words = redact(typeof text === 'string' ? text : '');
  const body = parseJson(words) ?? null;
  const said = readWords(words, body);
  throw new ServiceError({
    ...origin,
    code: codeOfStatus(status),
    message: `Answered ${status}${said === '' ? '' : `: ${said}`}`,
    fault: 'status',
    outcome: status >= 500 ? 'unknown' : 'refused',
    status,
    requestId,
    words: said,
    retryAfterMs,
    details: body,
  });
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function readDateMs(header: string | null): number | null {
  const ms = header === null ? Number.NaN : Date.parse(header);
  return Number.isNaN(ms) ? null : ms;
}

/** Seconds, or a date: that one is measured by the service's own clock where it shows one (RFC 9110, 10.2.3). */
function readRetryAfterMs(header: string | null, dateMs: number | null): number | null {
  if (header === null) return null;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Number(header) * 1000;
  const untilMs = readDateMs(header);
  return untilMs === null || dateMs === null ? null : Math.max(0, untilMs - dateMs);
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
