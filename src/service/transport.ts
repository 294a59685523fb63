import { Agent } from 'undici';
import { MOST_LIST_BYTES, MOST_PAGE_BYTES } from '../answers/limits.js';
import { type Answered, readAnswer, readBeginning } from '../answers/read-answer.js';
import { SyncError } from '../errors.js';
import type { Json } from '../model/json.js';
import { noteSecret, Secret } from '../secrets/secret.js';
import { createDeadline, type Deadline } from './deadline.js';
import type { AnswerKind, HttpMethod } from './endpoint.js';
import { asError, buildNetworkError, buildStopped, type Origin } from './network-error.js';
import {
  buildRefusal,
  isSuccess,
  type JsonResponse,
  type ResponseHead,
  readHead,
  readJsonResponse,
} from './read-response.js';
import { ServiceError } from './service-error.js';
import { openFile, type ServiceFile } from './service-file.js';

export interface TransportOptions {
  /** Origin and optional path, without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
  /** Bytes of an answer after decompression; by the kind of answer unless given. */
  readonly maxAnswerBytes?: number | null;
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
  /** Sent as it is, instead of JSON. */
  readonly content?: RawContent;
  /** `object` unless given. */
  readonly answer?: AnswerKind;
  readonly signal?: AbortSignal | undefined;
}

export interface RawContent {
  readonly type: string;
  readonly bytes: string | Uint8Array;
}

export type TransportAnswer = JsonResponse;
export interface TransportFile extends ResponseHead {
  readonly file: ServiceFile;
}

export interface Transport {
  /** One HTTP call, sent once. @throws ServiceError for everything but a readable 2xx. */
  send(request: TransportRequest): Promise<TransportAnswer>;
  /** The same where the answer is a file: resolves when it starts, not when it is here. */
  open(request: TransportRequest): Promise<TransportFile>;
  /** A signed link, which may point anywhere: fetched without the key (spec, Authentication 6). */
  openLink(url: URL, signal?: AbortSignal): Promise<TransportFile>;
  close(): Promise<void>;
}

interface Exchange {
  readonly origin: Origin;
  readonly url: string;
  readonly init: RequestInit;
  readonly signal: AbortSignal | undefined;
}

export function createTransport(options: TransportOptions): Transport {
  const { baseUrl, timeoutMs } = options;
  const apiKey = new Secret(options.apiKey);
  checkKey(options.apiKey);
  const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const agent = new Agent({ connections: options.connections, keepAliveTimeout: 4_000, pipelining: 1 });
  // Node's own fetch types name an older undici; the dispatchers are compatible at run time.
  const dispatcher = agent as unknown as NonNullable<NonNullable<Parameters<typeof fetch>[1]>['dispatcher']>;

  function buildExchange(request: TransportRequest, accept: string): Exchange {
    const { method, path, query, body, signal } = request;
    const content: RawContent | undefined =
      body === undefined ? request.content : { type: 'application/json', bytes: JSON.stringify(body) };
    return {
      origin: { method, baseUrl, path },
      url: `${baseUrl}${path}${query}`,
      init: {
        method,
        headers: {
          authorization: `Bearer ${apiKey.reveal()}`,
          accept,
          ...(content === undefined ? {} : { 'content-type': content.type }),
        },
        ...(content === undefined ? {} : { body: content.bytes }),
        // A redirect is no answer of this interface, and following one would turn a POST into a GET.
        redirect: 'manual',
      },
      signal,
    };
  }

  /** @param read must release the deadline once the body is here, or given up. */
  async function exchange<T>(
    { origin, url, init, signal }: Exchange,
    read: (response: Response, deadline: Deadline, explain: (error: unknown) => ServiceError) => Promise<T>,
  ): Promise<T> {
    if (signal?.aborted) throw buildStopped(origin, 'not_sent');
    const deadline = createDeadline(timeoutMs, signal);
    const explain = (error: unknown): ServiceError =>
      nameEnd(error instanceof ServiceError ? error : buildNetworkError(origin, asError(error)), deadline, timeoutMs);
    try {
      return await read(await fetch(url, { ...init, signal: deadline.signal, dispatcher }), deadline, explain);
    } catch (error) {
      deadline.release();
      throw explain(error);
    }
  }

  function openExchange(ask: Exchange): Promise<TransportFile> {
    return exchange(ask, async (response, deadline, explain) => {
      if (isSuccess(response.status)) {
        return { ...readHead(response), file: openFile(response, deadline, explain) };
      }
      throw buildRefusal(ask.origin, response, await readWords(response));
    });
  }

  function readBody(response: Response, answer: AnswerKind): Promise<Answered | Error> {
    const usual = answer === 'list' ? MOST_LIST_BYTES : MOST_PAGE_BYTES;
    const bound = { maxBytes: options.maxAnswerBytes ?? usual, setting: 'service.max_answer' };
    // A body that broke off is told apart from an answer later, with the status at hand.
    return readAnswer(response, { ...bound, rowsAt: answer === 'object' ? null : 'top' }).catch(asError);
  }

  return {
    send(request) {
      const ask = buildExchange(request, 'application/json');
      return exchange(ask, async (response, deadline) => {
        if (!isSuccess(response.status)) throw buildRefusal(ask.origin, response, await readWords(response));
        const answered = await readBody(response, request.answer ?? 'object');
        deadline.release();
        return readJsonResponse(ask.origin, response, answered);
      });
    },
    open: (request) => openExchange(buildExchange(request, '*/*')),
    openLink(url, signal) {
      const origin: Origin = { method: 'GET', baseUrl: url.origin, path: url.pathname };
      // The query of a signed link is a key of its own.
      noteSecret(url.search.slice(1));
      return openExchange({ origin, url: url.href, init: { method: 'GET', redirect: 'follow' }, signal });
    },
    close: () => agent.close(),
  };
}

/** fetch would quote a malformed header, and with it the key, in its own error. */
function checkKey(apiKey: string): void {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return;
  throw new SyncError('SYNC_CONFIG_SECRET', {
    message: 'The API key is empty or holds white space or other characters that no HTTP header may carry.',
    place: 'service.api_key',
    remedy: 'Look for a line break or a quotation mark at the end of the secret.',
  });
}

function readWords(response: Response): Promise<string | Error> {
  return readBeginning(response).catch(asError);
}

/** A broken connection that was broken from this side: by the time, or by the caller. */
function nameEnd(error: ServiceError, deadline: Deadline, timeoutMs: number): ServiceError {
  const ended = deadline.ended();
  if (error.fault !== 'network' || ended === null) return error;
  if (ended === 'stopped') return buildStopped(error.init, 'unknown');
  return new ServiceError({ ...error.init, message: `No answer within ${timeoutMs} ms.`, cause: error.cause });
}
