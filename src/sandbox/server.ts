import { randomUUID } from 'node:crypto';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Clock } from '../clock.js';
import { isReadOnly } from './access.js';
import { type CallLog, logCall } from './call-log.js';
import { answerFault, dropFields, finishWithFault } from './fault-answers.js';
import type { FaultRule, Faults } from './faults.js';
import type { KeySettings } from './fixture.js';
import { readCodeMode } from './languages.js';
import type { RateWindow } from './rate-window.js';
import { type Answer, buildErrorBody, type Call, type Query, Refusal, type Route, type World } from './route.js';
import { ROUTES } from './routes/table.js';
import { emailKey } from './store.js';
import { readParameter } from './values.js';

export interface ServerParts {
  readonly world: World;
  readonly calls: CallLog;
  readonly faults: Faults;
  /** The real time, which rate limits and delays are measured in, whatever the account's clock says. */
  readonly clock: Clock;
  readonly rate: RateWindow | undefined;
  /** Guards the control API; on a request to the service it makes that one of somebody else. */
  readonly controlKey: string;
}

/** What the hooks remember of a request until it is answered. */
interface Progress {
  readonly fault?: FaultRule;
  readonly key?: KeySettings;
}

/** An administrator who is no key of the account: somebody else without an Authorization header. */
const OTHER_HANDS: KeySettings = {
  key: 'other hands',
  name: 'Other hands',
  role: 'internationalmanager',
  offices: [],
  tags: [],
  disabled: false,
};

/**
 * One request: fault → rate limit → authentication → route → answer. The request is logged before its answer leaves,
 * so that a client with the answer finds it in the log.
 */
export function buildServer(parts: ServerParts): FastifyInstance {
  const server = fastify({
    logger: false,
    bodyLimit: 256 * 1024 * 1024,
    forceCloseConnections: true,
    genReqId: () => randomUUID(),
    frameworkErrors: (error, request, reply) => answerBadPath(error, request, reply as unknown as FastifyReply),
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 500 },
  });
  const progress = new WeakMap<FastifyRequest, Progress>();

  // Bodies stay bytes until the handler is chosen: a wrong Content-Type is 415 on users only, and never Fastify's own.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  server.addHook('onRequest', async (request, reply) => {
    if (isControl(request)) return;
    reply.header('x-request-id', request.id);
    reply.header('date', new Date(parts.world.clock.now()).toUTCString());
    if (isOtherHands(parts, request)) {
      const { authorization } = request.headers;
      progress.set(request, {
        key: authorization === undefined ? OTHER_HANDS : authenticate(parts.world, authorization),
      });
      return;
    }
    const fault = parts.faults.take(request.method, request.url);
    if (fault) {
      progress.set(request, { fault });
      await answerFault(fault, request, reply, parts);
      if (reply.sent) return;
    }
    if (!(request.routeOptions.config as RouteConfig).isSigned)
      progress.set(request, { ...progress.get(request), key: admit(parts, request) });
  });

  server.addHook('onSend', (request, reply, payload, done) => {
    if (isControl(request) || isOtherHands(parts, request)) return done(null, payload);
    const fault = progress.get(request)?.fault;
    // Not calling done leaves the answer to the fault: half of it, or none.
    if (fault && finishWithFault(fault, { request, reply, payload }, parts.calls)) return;
    logCall(parts.calls, request, reply.statusCode);
    done(null, payload);
  });

  server.setErrorHandler((error, _request, reply) => {
    const { status, body, retryAfter } = describeError(error);
    // On every 429, in whole seconds.
    if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
    return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
  });
  server.setNotFoundHandler(() => {
    throw new Refusal(404, 'there is no such endpoint');
  });

  for (const route of ROUTES) {
    const config: RouteConfig = { isSigned: route.isSigned === true };
    server.route({
      method: route.method,
      url: route.path,
      exposeHeadRoute: false,
      config,
      handler: (request, reply) => {
        const { key, fault } = progress.get(request) ?? {};
        const caller = key ?? (route.isSigned ? OTHER_HANDS : undefined);
        if (!caller) throw new Refusal(401, 'authentication is missing');
        return sendAnswer(reply, runRoute(parts.world, route, buildCall(parts.world, request, caller, fault)));
      },
    });
  }
  return server;
}

/** Whose request it is, when the rate limit has room for it. */
function admit({ rate, clock, world }: ServerParts, { headers }: FastifyRequest): KeySettings {
  const retryAfter = rate?.take(clock.now());
  if (retryAfter !== undefined) throw new Refusal(429, 'rate limit exceeded', {}, retryAfter);
  return authenticate(world, headers.authorization);
}

interface RouteConfig {
  readonly isSigned?: boolean;
}

function isOtherHands(parts: ServerParts, request: FastifyRequest): boolean {
  const given = request.headers['x-control-key'];
  return given !== undefined && given === parts.controlKey;
}

function isControl(request: FastifyRequest): boolean {
  return request.url.startsWith('/__sandbox/');
}

/** Missing or unknown is 401, known but disabled 403 (spec, Authentication 2). */
function authenticate(world: World, header: string | undefined): KeySettings {
  const match = /^(?:Bearer\s+(\S+)|Token\s+token="?([^"\s]+)"?)$/i.exec(header?.trim() ?? '');
  const key = world.keys.get(match?.[1] ?? match?.[2] ?? '');
  if (!key) throw new Refusal(401, 'authentication is missing or invalid');
  if (key.disabled) throw new Refusal(403, 'the key is disabled');
  return key;
}

function runRoute(world: World, route: Route, call: Call): Answer {
  if (route.access === 'read') return route.handle(world, call);
  if (isReadOnly(call.key)) throw new Refusal(403, 'this key may only read');
  return world.store.write(() => route.handle(world, call));
}

function buildCall(world: World, request: FastifyRequest, key: KeySettings, fault: FaultRule | undefined): Call {
  const query = request.query as Query;
  const header = request.headers['content-type'] ?? '';
  const contentType = header.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const bytes = Buffer.isBuffer(request.body) ? request.body : undefined;
  const body = contentType === 'application/json' ? parseBody(bytes) : undefined;
  return {
    key,
    userId: key.user === undefined ? undefined : findUserId(world, key.user),
    params: request.params as Readonly<Record<string, string>>,
    query,
    mode: readCodeMode(readParameter(query, 'use_legacy_codes')),
    contentType,
    boundary: /boundary="?([^";]+)"?/i.exec(header)?.[1],
    bytes,
    body: fault?.kind === 'drop_field' ? dropFields(body, fault.fields) : body,
    baseUrl: `http://${request.headers.host ?? 'localhost'}`,
  };
}

/** A key of someone who is not there (any more) is nobody's: it owns nothing. */
function findUserId(world: World, email: string): string {
  return world.store.users.first('WHERE email_key = ?', [emailKey(email)])?.id ?? '';
}

function parseBody(bytes: Buffer | undefined): unknown {
  if (bytes === undefined || bytes.length === 0) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new Refusal(400, 'the body is not valid JSON');
  }
}

function sendAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.code(answer.status);
  if (answer.location !== undefined) reply.header('location', answer.location);
  if (answer.file) {
    const { bytes, contentType, name } = answer.file;
    reply.header('content-disposition', `attachment; filename="${name.replace(/[^\w.-]+/g, '_')}"`);
    return reply.type(contentType).send(bytes);
  }
  if (answer.body === undefined) return reply.send();
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer.body));
}

/** A path that cannot be decoded never reaches the hooks: a malformed id is a 404 like any unknown one (spec, Errors). */
function answerBadPath(error: Error, request: { readonly id: string }, reply: FastifyReply): void {
  reply.code(404).header('x-request-id', request.id).type('application/json; charset=utf-8');
  reply.send(JSON.stringify(buildErrorBody(error.message)));
}

/** Refusals as they are; Fastify's own (a body over the limit) with their status; a defect of the sandbox as 500. */
function describeError(error: unknown): {
  readonly status: number;
  readonly body: object;
  readonly retryAfter?: number | undefined;
} {
  if (error instanceof Refusal) {
    const { status, message, extras, retryAfter } = error;
    return { status, body: buildErrorBody(message, extras), retryAfter };
  }
  const { message, statusCode } = error as { readonly message?: string; readonly statusCode?: number };
  if (statusCode !== undefined && statusCode < 500) return { status: statusCode, body: buildErrorBody(message ?? '') };
  process.stderr.write(`sandbox: ${error instanceof Error ? error.stack : String(error)}\n`);
  return { status: 500, body: buildErrorBody('internal server error') };
}
