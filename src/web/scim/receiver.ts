import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, isoNow } from '../../clock.js';
import type { Json } from '../../model/json.js';
import { LARGEST_BODY } from '../../scim/discovery.js';
import { describeScimError, ScimError } from '../../scim/scim-error.js';
import type { PushSource, PushSources } from '../../tenants/push-sources.js';
import { isAnyOf, readBearer } from '../bearer.js';
import { answerRequest, type ScimRequest } from './answer-request.js';
import type { ScimAnswer } from './push-context.js';
import { retryBusy } from './retry-busy.js';

/** How a request ended: a write was taken, refused for its own fault, not let in, or failed for ours; reads are no pushes. */
export type PushResult = 'taken' | 'refused' | 'denied' | 'failed' | 'read';

/** What is told of a request. Nothing of it names a person. */
export interface PushEvent {
  /** null where the request named no source that there is. */
  readonly source: Pick<PushSource, 'tenant' | 'name'> | null;
  readonly method: string;
  readonly status: number;
  readonly result: PushResult;
  readonly ms: number;
  /** What went wrong, when it was our fault. */
  readonly error?: unknown;
}

export interface ReceiverOptions {
  readonly find: PushSources['find'];
  readonly clock: Clock;
  readonly onRequest: (event: PushEvent) => void;
}

/** Under this path a daemon takes what identity providers push. */
export const SCIM_ROOT = '/scim/v2';

const MEDIA_TYPE = 'application/scim+json';
const ACCEPTED = /^\s*application\/(scim\+json|json)\s*(;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** SCIM 2.0 (RFC 7643, 7644) for each source of `type: scim-push`. */
export async function openReceiver(server: FastifyInstance, options: ReceiverOptions): Promise<void> {
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Whatever its type, the body is kept as it came: a refusal must be SCIM's, not the framework's.
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.setErrorHandler((error: { statusCode?: number }, request, reply) => {
      const status = error.statusCode ?? 500;
      const detail =
        status === 413
          ? `The body is larger than ${LARGEST_BODY} bytes (maxPayloadSize).`
          : 'The request cannot be read.';
      return send(request, reply, describe(new ScimError(status, detail)));
    });
    scope.route({
      method: [...METHODS],
      url: `${SCIM_ROOT}/*`,
      bodyLimit: LARGEST_BODY,
      handler: (request, reply) => serve(request, reply, options),
    });
  });
}

async function serve(request: FastifyRequest, reply: FastifyReply, options: ReceiverOptions): Promise<FastifyReply> {
  const startedMs = performance.now();
  const url = new URL(request.url, 'http://source');
  const parts = splitPath(url.pathname);
  const found = parts === null ? null : options.find(parts);
  const { method } = request;
  let answer: ScimAnswer;
  let thrown: unknown;
  try {
    answer = await answerAuthorized(request, url, parts ?? [], found, options);
  } catch (error) {
    thrown = error;
    answer = describe(error instanceof ScimError ? error : new ScimError(500, 'Something went wrong here.'));
  }
  const { status } = answer;
  const { tenant, name } = found?.source ?? {};
  options.onRequest({
    source: tenant === undefined || name === undefined ? null : { tenant, name },
    method,
    status,
    result: judge(request, status),
    ms: performance.now() - startedMs,
    ...(status >= 500 ? { error: thrown } : {}),
  });
  return send(request, reply, answer);
}

async function answerAuthorized(
  request: FastifyRequest,
  url: URL,
  parts: readonly string[],
  found: ReturnType<PushSources['find']>,
  { clock }: ReceiverOptions,
): Promise<ScimAnswer> {
  const given = readBearer(request.headers.authorization);
  // A source that there is not answers as one that lets nobody in.
  if (found === null || !isAnyOf(given, found.source.tokens)) return refuseToken(given !== '');
  const { source, used } = found;
  const store = source.open();
  if (store === null) throw new ScimError(503, 'The state of this source is not open yet. Try again.');
  const scim: ScimRequest = {
    // As a GET; the framework leaves the body out.
    method: request.method === 'HEAD' ? 'GET' : request.method,
    parts: parts.slice(used),
    query: url.searchParams,
    ifMatch: request.headers['if-match'],
    ifNoneMatch: request.headers['if-none-match'],
    body: () => readBody(request),
  };
  return retryBusy(() =>
    answerRequest(scim, {
      source: source.name,
      key: source.key,
      store,
      base:
        source.baseUrl ??
        `http://${request.headers.host ?? 'localhost'}${SCIM_ROOT}/${parts.slice(0, used).map(encodeURIComponent).join('/')}`,
      now: isoNow(clock),
      isGone: () => request.raw.socket.destroyed,
    }),
  );
}

function readBody({ body, headers }: FastifyRequest): Json {
  const type = headers['content-type'] ?? MEDIA_TYPE;
  if (!ACCEPTED.test(type) || !/^utf-?8$/i.test(CHARSET.exec(type)?.[1] ?? 'utf-8'))
    throw new ScimError(415, `A body is sent as ${MEDIA_TYPE}, in UTF-8.`);
  try {
    // A wrong byte is refused, never turned into another letter of a name.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.isBuffer(body) ? body : new Uint8Array());
    return JSON.parse(text) as Json;
  } catch {
    throw new ScimError(400, 'The body is no JSON in UTF-8.', 'invalidSyntax');
  }
}

/** null where a part is no text. */
function splitPath(path: string): readonly string[] | null {
  try {
    const parts = path.slice(SCIM_ROOT.length).split('/').map(decodeURIComponent);
    return parts.filter((part) => part !== '');
  } catch {
    return null;
  }
}

function judge({ method, url }: FastifyRequest, status: number): PushResult {
  if (status === 401) return 'denied';
  if (status >= 500) return 'failed';
  if (method === 'GET' || method === 'HEAD' || /\/\.search(\?|$)/.test(url)) return 'read';
  return status < 400 ? 'taken' : 'refused';
}

function describe(error: ScimError): ScimAnswer {
  const headers = error.status === 503 ? { 'retry-after': '30' } : {};
  return { status: error.status, body: describeScimError(error), headers };
}

/** RFC 6750, section 3: why is said to whoever sent a token at all. */
function refuseToken(isSent: boolean): ScimAnswer {
  const answer = describe(new ScimError(401, 'Send a token of this source.'));
  const why = isSent ? ', error="invalid_token"' : '';
  return { ...answer, headers: { 'www-authenticate': `Bearer realm="talent-sync"${why}` } };
}

function send(
  { headers: { accept } }: FastifyRequest,
  reply: FastifyReply,
  { status, body, headers = {} }: ScimAnswer,
): FastifyReply {
  reply.code(status).headers(headers);
  if (body === undefined) return reply.send();
  return reply.type(chooseType(accept)).send(JSON.stringify(body));
}

/** RFC 7644, 3.1 and 8.1: a client that takes plain JSON alone gets the same under that name. */
function chooseType(accept = ''): string {
  return /application\/json/i.test(accept) && !/scim\+json|\/\*/i.test(accept) ? 'application/json' : MEDIA_TYPE;
}
