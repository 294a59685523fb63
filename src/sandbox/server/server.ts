import { randomUUID } from 'node:crypto';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Clock } from '../../base/clock.js';
import type { KeySettings } from '../account/account-settings.js';
import type { World } from '../account/world.js';
import { writeDisposition } from '../answers/file-names.js';
import { isReadOnly, OTHER_HANDS } from '../calls/access.js';
import { type AnsweredFile, type Call, type CallHandler, OtherAnswer, type Route } from '../calls/call.js';
import { MOST_FORM_BYTES, readContentType } from '../calls/multipart.js';
import { readCodeMode } from '../fields/languages.js';
import { buildErrorBody, Refusal, refuse } from '../fields/refusal.js';
import { type Query, readParameter } from '../fields/values.js';
import { ROUTES } from '../routes/table.js';
import { type CallLog, describeCall } from './call-log.js';
import { answerFault, dropFields, type FaultedExchange, finishWithFault } from './fault-answers.js';
import type { FaultRule, Faults } from './faults.js';
import type { RateWindow } from './rate-window.js';

/** Attachments are the largest bodies. */
const MOST_BODY_BYTES = 256 * 1024 * 1024;

export interface ServerParts {
  readonly world: World;
  readonly calls: CallLog;
  readonly faults: Faults;
  /** Real time for rate limits and delays, independent of the account's clock. */
  readonly clock: Clock;
  readonly rate: RateWindow | undefined;
  /** Protects the control API. In a request to the service, it makes the caller an administrator without a key of the account. */
  readonly controlKey: string;
}

/** Data of a request that the hooks keep until the request is answered. */
interface Progress {
  readonly fault: FaultRule | undefined;
  key?: KeySettings | undefined;
}

/**
 * Handles requests in this order: fault, rate limit, authentication, route, response. A request is logged before its response
 * is sent, so that the client finds it in the log.
 */
export function buildServer(parts: ServerParts): FastifyInstance {
  const server = fastify({
    logger: false,
    bodyLimit: MOST_BODY_BYTES,
    forceCloseConnections: true,
    genReqId: () => randomUUID(),
    frameworkErrors: (error, request, reply) => answerBadPath(error, request, reply as unknown as FastifyReply),
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 500 },
  });
  const progress = new WeakMap<FastifyRequest, Progress>();

  // Bodies stay raw until the handler is chosen. A wrong Content-Type is 415 for users only, and must never cause Fastify's own
  // error.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.addHook('onRequest', async (request, reply) => {
    if (isApart(request)) return;
    reply.header('x-request-id', request.id);
    reply.header('date', new Date(parts.world.clock.now()).toUTCString());
    const fault = isOtherHands(parts, request) ? undefined : parts.faults.take(request.method, request.url);
    const known: Progress = { fault };
    progress.set(request, known);
    if (fault) await answerFault(fault, openExchange(parts, request, reply), parts.clock);
    if (!reply.sent) known.key = identify(parts, request);
  });
  server.addHook('onSend', (request, reply, payload, done) => {
    if (isApart(request) || isOtherHands(parts, request)) return done(null, payload);
    const fault = progress.get(request)?.fault;
    // `done` is not called here, because the fault sends part of the response or none.
    const exchange = openExchange(parts, request, reply);
    if (fault && finishWithFault(fault, exchange, payload)) return;
    exchange.log(reply.statusCode);
    done(null, payload);
  });
  server.setErrorHandler((error, request, reply) => answerError(error, request, reply));
  server.setNotFoundHandler(() => refuse(404, 'there is no such endpoint'));

  for (const { method, path: url, access, handle } of ROUTES) {
    const config = { access };
    const bodyLimit = url.endsWith('/images') ? MOST_FORM_BYTES : MOST_BODY_BYTES;
    const handler = (request: FastifyRequest, reply: FastifyReply): FastifyReply | Promise<FastifyReply> => {
      const { key, fault } = progress.get(request) ?? {};
      const caller = key ?? (access === 'signed' ? OTHER_HANDS : refuse(401, 'authentication is missing'));
      const call = buildCall(parts, request, caller, fault);
      const answer = access === 'write' ? write(call, handle) : handle(call);
      return answer instanceof Promise ? answer.then((file) => sendAnswer(reply, file)) : sendAnswer(reply, answer);
    };
    server.route({ method, url, exposeHeadRoute: false, bodyLimit, config, handler });
  }
  return server;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly access?: Route['access'];
    /** Set for a page for people that is not part of the service. */
    readonly isPage?: true;
  }
}

function openExchange({ world, calls }: ServerParts, request: FastifyRequest, reply: FastifyReply): FaultedExchange {
  const log = (status: number): void => {
    const by = findKey(world, request.headers.authorization)?.name ?? '';
    calls.add(describeCall(request, { status, at: world.clock.now(), ms: Math.round(reply.elapsedTime), by }));
  };
  return { request, reply, log };
}

/** Returns the key of a request if the rate limit allows the request. */
function identify(parts: ServerParts, request: FastifyRequest): KeySettings | undefined {
  const { authorization } = request.headers;
  if (request.routeOptions.config.access === 'signed') return undefined;
  if (isOtherHands(parts, request)) {
    return authorization === undefined ? OTHER_HANDS : authenticate(parts.world, authorization);
  }
  const retryAfter = parts.rate?.take(parts.clock.now());
  if (retryAfter !== undefined) throw new Refusal(429, 'rate limit exceeded', {}, retryAfter);
  return authenticate(parts.world, authorization);
}

function isOtherHands(parts: ServerParts, request: FastifyRequest): boolean {
  const given = request.headers['x-control-key'];
  return given !== undefined && given === parts.controlKey;
}

/** True for requests outside the service. They are not logged, limited or affected by faults. */
function isApart(request: FastifyRequest): boolean {
  return request.url.startsWith('/__sandbox/') || request.routeOptions.config.isPage === true;
}

function findKey(world: World, header: string | undefined): KeySettings | undefined {
  const match = /^(?:Bearer\s+(\S+)|Token\s+token="?([^"\s]+)"?)$/i.exec(header?.trim() ?? '');
  return world.keys.get(match?.[1] ?? match?.[2] ?? '');
}

/** Finds the key. A missing or unknown key is 401, and a disabled key is 403 (spec, Authentication 2). */
function authenticate(world: World, header: string | undefined): KeySettings {
  const key = findKey(world, header);
  if (!key) refuse(401, 'authentication is missing or invalid');
  if (key.disabled) refuse(403, 'the key is disabled');
  return key;
}

function write(call: Call, handle: CallHandler): ReturnType<CallHandler> {
  if (isReadOnly(call.key)) refuse(403, 'this key may only read');
  return call.world.store.write(() => handle(call));
}

function buildCall(parts: ServerParts, request: FastifyRequest, key: KeySettings, fault: FaultRule | undefined): Call {
  const { world } = parts;
  const query = request.query as Query;
  const { contentType, boundary } = readContentType(request.headers['content-type'] ?? '');
  const body = contentType === 'application/json' ? parseBody(request.body) : undefined;
  return {
    world,
    key,
    // If the user of a key is missing or deleted, the key owns nothing.
    userId: key.user === undefined ? undefined : (world.store.findUser(key.user)?.id ?? ''),
    params: request.params as Readonly<Record<string, string>>,
    query,
    mode: readCodeMode(readParameter(query, 'use_legacy_codes')),
    contentType,
    boundary,
    bytes: Buffer.isBuffer(request.body) ? request.body : undefined,
    body: fault?.kind === 'drop_field' ? dropFields(body, fault.fields) : body,
    baseUrl: `http://${request.headers.host ?? 'localhost'}`,
    isOtherHands: isOtherHands(parts, request),
  };
}

export function parseBody(bytes: unknown): unknown {
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    refuse(400, 'the body is not valid JSON');
  }
}

function sendAnswer(reply: FastifyReply, answer: object | undefined): FastifyReply {
  if (answer === undefined) return reply.code(204).send();
  if (!(answer instanceof OtherAnswer)) return sendJson(reply.code(200), answer);
  const { file, location } = answer;
  if (location !== undefined) return reply.code(302).header('location', location).send();
  return file === undefined ? reply.code(204).send() : sendFile(reply, file);
}

export function sendFile(reply: FastifyReply, file: AnsweredFile): FastifyReply {
  const { name, standIn, contentType, headers = {}, bytes, size } = file;
  reply.headers({ ...headers, 'content-disposition': writeDisposition(name, standIn) });
  if (size !== undefined) reply.header('content-length', size);
  return reply.type(contentType).send(bytes);
}

export function sendJson(reply: FastifyReply, body: object): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** Answers a path that cannot be decoded, which skips the hooks. A malformed id is a 404, like an unknown id (spec, Errors). */
function answerBadPath(error: Error, request: { readonly id: string }, reply: FastifyReply): void {
  sendJson(reply.code(404).header('x-request-id', request.id), buildErrorBody(error.message));
}

/**
 * Answers an error. A `Refusal` is sent unchanged. Fastify's own errors (such as a body over the limit) keep their status;
 * defects of the sandbox are 500.
 */
function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof Refusal) {
    const { status, message, extras, retryAfter } = error;
    if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
    return sendJson(reply.code(status), buildErrorBody(message, extras));
  }
  const { message, statusCode } = error as { readonly message?: string; readonly statusCode?: number };
  if (statusCode === 413) {
    const mebibytes = (request.routeOptions.bodyLimit ?? MOST_BODY_BYTES) / 1024 / 1024;
    return sendJson(reply.code(413), buildErrorBody(`the body may have at most ${mebibytes} MiB`));
  }
  if (statusCode !== undefined && statusCode < 500) {
    return sendJson(reply.code(statusCode), buildErrorBody(message ?? ''));
  }
  process.stderr.write(`sandbox: ${error instanceof Error ? error.stack : String(error)}\n`);
  return sendJson(reply.code(500), buildErrorBody('internal server error'));
}
