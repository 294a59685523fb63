import { SyncError } from '../base/errors.js';
import { openFetchSockets } from '../base/http/fetch-sockets.js';
import type { Resolve } from '../base/http/guarded-lookup.js';
import { type HttpResponse, isSuccess } from '../base/http/http-response.js';
import { MOST_LIST_BYTES, MOST_PAGE_BYTES } from '../base/http/limits.js';
import { type Answered, readAnswer, readBeginning } from '../base/http/read-answer.js';
import { Secret } from '../base/secrets/secret.js';
import type { Json } from '../model/json.js';
import type { AnswerKind, HttpMethod } from './endpoint.js';
import { type Ask, createExchange } from './exchange.js';
import { asError } from './network-error.js';
import type { OpenSockets } from './open-sockets.js';
import { buildRefusal, type JsonResponse, readHead, readJsonResponse } from './read-response.js';
import { openFile } from './service-file.js';
import { createSignedLinks, type TransportFile } from './signed-link.js';

export interface TransportOptions {
  /** Origin and optional path, without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
  /** Maximum bytes of an answer after decompression; the default depends on the kind of answer. */
  readonly maxAnswerBytes?: number | null;
  /** Number of sockets to the service. */
  readonly connections: number;
  /** By default `globalThis.fetch`, looked up for each call, so that a later replacement of the global takes effect. */
  readonly fetch?: typeof globalThis.fetch;
  /** The variable of a proxy that is not used. */
  readonly unusedProxy?: string | null;
  /** Replaces `fetch`. */
  readonly openSockets?: OpenSockets;
  /** Looks up the host names of signed links; by default the system does. */
  readonly resolve?: Resolve;
}

export interface TransportRequest {
  readonly method: HttpMethod;
  /** Already percent-encoded, without the query. */
  readonly path: string;
  /** Already percent-encoded, with its `?`, or empty. */
  readonly query: string;
  readonly body?: JsonBody;
  /** Sent verbatim, instead of JSON. */
  readonly content?: RawContent;
  /** `object` by default. */
  readonly answer?: AnswerKind;
  readonly signal?: AbortSignal | undefined;
}

/** A body; undefined fields are left out. */
export type JsonBody = Json | Readonly<Record<string, Json | undefined>>;

export interface RawContent {
  readonly type: string;
  readonly bytes: string | Uint8Array;
}

export type TransportAnswer = JsonResponse;
export type { TransportFile } from './signed-link.js';

export interface Transport {
  /**
   * Sends one HTTP call, once.
   * @throws ServiceError for every answer other than a readable 2xx
   */
  send(request: TransportRequest): Promise<TransportAnswer>;
  /** Sends a call whose answer is a file; resolves when the file starts, not when it is complete. */
  open(request: TransportRequest): Promise<TransportFile>;
  /** Opens a signed link, which may lead to any host, without the API key (spec, Authentication 6). */
  openLink(url: URL, signal?: AbortSignal): Promise<TransportFile>;
  close(): Promise<void>;
}

export function createTransport(options: TransportOptions): Transport {
  const { baseUrl, connections } = options;
  const apiKey = new Secret(options.apiKey);
  checkKey(options.apiKey);
  const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const openSockets = options.openSockets ?? openFetchSockets(fetch);
  const sockets = openSockets({ connections, to: 'service' });
  const exchange = createExchange(options.timeoutMs);
  const links = createSignedLinks({ exchange, openSockets, baseUrl, connections, resolve: options.resolve });

  function askFor({ method, path, query, signal, ...sent }: TransportRequest, accept: string): Ask {
    const content = contentOf(sent);
    const headers = {
      authorization: `Bearer ${apiKey.reveal()}`,
      accept,
      ...(content === undefined ? {} : { 'content-type': content.type }),
    };
    const url = `${baseUrl}${path}${query}`;
    return {
      origin: { method, baseUrl, path, unusedProxy: options.unusedProxy ?? null },
      request: { method, url, headers, ...(content === undefined ? {} : { body: content.bytes }) },
      signal,
      sockets,
    };
  }

  return {
    send(request) {
      const ask = askFor(request, 'application/json');
      return exchange(ask, async (response, deadline) => {
        if (!isSuccess(response.status)) throw buildRefusal(ask.origin, response, await readWords(response));
        const answered = await readBody(response, request.answer ?? 'object', options.maxAnswerBytes);
        deadline.release();
        return readJsonResponse(ask.origin, response, answered);
      });
    },
    open(request) {
      const ask = askFor(request, '*/*');
      return exchange(ask, async (response, deadline, explain) => {
        if (!isSuccess(response.status)) throw buildRefusal(ask.origin, response, await readWords(response));
        return { ...readHead(response), file: openFile(response, deadline, explain) };
      });
    },
    openLink: (url, signal) => links.open(url, signal),
    async close() {
      await Promise.all([sockets.close(), links.close()]);
    },
  };
}

function contentOf({ body, content }: Pick<TransportRequest, 'body' | 'content'>): RawContent | undefined {
  return body === undefined ? content : { type: 'application/json', bytes: JSON.stringify(body) };
}

function readBody(
  response: HttpResponse,
  answer: AnswerKind,
  maxBytes: number | null | undefined,
): Promise<Answered | Error> {
  const usual = answer === 'list' ? MOST_LIST_BYTES : MOST_PAGE_BYTES;
  const bound = { maxBytes: maxBytes ?? usual, setting: 'service.max_answer' };
  // Returned as a value, because the error for a truncated body is built later, with the status.
  return readAnswer(response, { ...bound, rowsAt: answer === 'object' ? null : 'top' }).catch(asError);
}

/** fetch would quote a malformed header, and with it the key, in its own error. */
function checkKey(apiKey: string): void {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return;
  throw new SyncError('SYNC_CONFIG_SECRET', {
    message: 'The API key is empty, or contains white space or other characters that no HTTP header may carry.',
    place: 'service.api_key',
    remedy: 'Check for a line break or a quotation mark at the end of the secret.',
  });
}

function readWords(response: HttpResponse): Promise<string | Error> {
  return readBeginning(response).catch(asError);
}
