import { randomUUID } from 'node:crypto';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Clock } from '../clock.js';
import { isReadOnly } from './access.js';
import { type CallLog, logCall } from './call-log.js';
import { answerFault, finishWithFault } from './fault-answers.js';
import type { FaultRule, Faults } from './faults.js';
import type { KeySettings } from './fixture.js';
import { readCodeMode } from './languages.js';
import type { RateWindow } from './rate-window.js';
import { type Answer, buildErrorBody, type Call, type Query, Refusal, type Route, type World } from './route.js';
import { COUNTRY_ROUTES } from './routes/countries.js';
import { CUSTOMER_ROUTES } from './routes/customers.js';
import { PROJECT_ENTRY_ROUTES } from './routes/project-entries.js';
import { PROJECT_OWNER_ROUTES } from './routes/project-owners.js';
import { PROJECT_ROUTES } from './routes/projects.js';
import { RECORD_TAG_ROUTES } from './routes/record-tags.js';
import { REFERENCE_ROUTES } from './routes/references.js';
import { TAG_CATEGORY_ROUTES } from './routes/tag-categories.js';
import { TAG_ROUTES } from './routes/tags.js';
import { USER_IMPORT_ROUTES } from './routes/user-import.js';
import { USER_LIST_ROUTES } from './routes/user-lists.js';
import { USER_ROUTES } from './routes/users.js';
import { readParameter } from './values.js';

/** The service, a row of this table per endpoint; a later resource is one more file and one more line here. */
const ROUTES: readonly Route[] = [
  ...USER_LIST_ROUTES,
  ...USER_IMPORT_ROUTES,
  ...USER_ROUTES,
  ...COUNTRY_ROUTES,
  ...TAG_CATEGORY_ROUTES,
  ...TAG_ROUTES,
  ...CUSTOMER_ROUTES,
  ...PROJECT_ROUTES,
  ...PROJECT_OWNER_ROUTES,
  ...PROJECT_ENTRY_ROUTES,
  ...RECORD_TAG_ROUTES,
  ...REFERENCE_ROUTES,
];

export interface ServerParts {
  readonly world: World;
  readonly calls: CallLog;
  readonly faults: Faults;
  /** The real time, which rate limits and delays are measured in, whatever the account's clock says. */
  readonly clock: Clock;
  readonly rate: RateWindow | undefined;
}

/** What the hooks remember of a request until it is answered. */
interface Progress {
  readonly fault: FaultRule | undefined;
}

/**
 * One request: fault → rate limit → authentication → route → answer. The request is logged before its answer leaves,
 * so that whoever has the answer finds it in the log.
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
  const keys = new WeakMap<FastifyRequest, KeySettings>();

  // Bodies stay bytes until the handler is chosen: a wrong Content-Type is 415 on users only, and never Fastify's own.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  server.addHook('onRequest', async (request, reply) => {
    if (isControl(request)) return;
    reply.header('x-request-id', request.id);
    reply.header('date', new Date(parts.world.clock.now()).toUTCString());
    const fault = parts.faults.take(request.method, request.url);
    progress.set(request, { fault });
    if (fault) await answerFault(fault, request, reply, parts);
    if (reply.sent) return;
    const retryAfter = parts.rate?.take(parts.clock.now());
    if (retryAfter !== undefined) {
      reply.header('retry-after', String(retryAfter));
      throw new Refusal(429, 'rate limit exceeded');
    }
    keys.set(request, authenticate(parts.world, request.headers.authorization));
  });

  server.addHook('onSend', (request, reply, payload, done) => {
    if (isControl(request)) return done(null, payload);
    const fault = progress.get(request)?.fault;
    // Not calling done leaves the answer to the fault: half of it, or none.
    if (fault && finishWithFault(fault, request, reply, payload, parts.calls)) return;
    logCall(parts.calls, request, reply.statusCode);
    done(null, payload);
  });

  server.setErrorHandler((error, _request, reply) => {
    const { status, body } = describeError(error);
    return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
  });
  server.setNotFoundHandler(() => {
    throw new Refusal(404, 'there is no such endpoint');
  });

  for (const route of ROUTES) {
    server.route({
      method: route.method,
      url: route.path,
      exposeHeadRoute: false,
      handler: (request, reply) => {
        const key = keys.get(request);
        if (!key) throw new Refusal(401, 'authentication is missing');
        return sendAnswer(reply, runRoute(parts.world, route, request, key));
      },
    });
  }
  return server;
}

function isControl(request: FastifyRequest): boolean {
  return request.url.startsWith('/_sandbox/');
}

/** Missing or unknown is 401, known but disabled 403 (spec, Authentication 2). */
function authenticate(world: World, header: string | undefined): KeySettings {
  const match = /^(?:Bearer\s+(\S+)|Token\s+token="?([^"\s]+)"?)$/i.exec(header?.trim() ?? '');
  const key = world.keys.get(match?.[1] ?? match?.[2] ?? '');
  if (!key) throw new Refusal(401, 'authentication is missing or invalid');
  if (key.disabled) throw new Refusal(403, 'the key is disabled');
  return key;
}

function runRoute(world: World, route: Route, request: FastifyRequest, key: KeySettings): Answer {
  if (route.access === 'read') return route.handle(world, buildCall(request, key));
  if (isReadOnly(key)) throw new Refusal(403, 'this key may only read');
  const call = buildCall(request, key);
  return world.store.write(() => route.handle(world, call));
}

function buildCall(request: FastifyRequest, key: KeySettings): Call {
  const query = request.query as Query;
  const contentType = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const bytes = Buffer.isBuffer(request.body) ? request.body : undefined;
  return {
    key,
    params: request.params as Readonly<Record<string, string>>,
    query,
    mode: readCodeMode(readParameter(query, 'use_legacy_codes')),
    contentType,
    bytes,
    body: contentType === 'application/json' ? parseBody(bytes) : undefined,
    baseUrl: `http://${request.headers.host ?? 'localhost'}`,
  };
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
  if (answer.body === undefined) return reply.send();
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer.body));
}

/** A path that cannot be decoded never reaches the hooks: a malformed id is a 404 like any unknown one (spec, Errors). */
function answerBadPath(error: Error, request: { readonly id: string }, reply: FastifyReply): void {
  reply.code(404).header('x-request-id', request.id).type('application/json; charset=utf-8');
  reply.send(JSON.stringify(buildErrorBody(error.message)));
}

/** Refusals as they are; Fastify's own (a body over the limit) with their status; a defect of the sandbox as 500. */
function describeError(error: unknown): { readonly status: number; readonly body: object } {
  if (error instanceof Refusal) return { status: error.status, body: buildErrorBody(error.message, error.extras) };
  const { message, statusCode } = error as { readonly message?: string; readonly statusCode?: number };
  if (statusCode !== undefined && statusCode < 500) return { status: statusCode, body: buildErrorBody(message ?? '') };
  process.stderr.write(`sandbox: ${error instanceof Error ? error.stack : String(error)}\n`);
  return { status: 500, body: buildErrorBody('internal server error') };
}
