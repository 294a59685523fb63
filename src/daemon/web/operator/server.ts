import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import cookie from '@fastify/cookie';
import csrf from '@fastify/csrf-protection';
import formbody from '@fastify/formbody';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { asSyncError, SyncError } from '../../../base/errors.js';
import { isLoopback } from '../../../base/http/private-address.js';
import { hideSecrets, hideSecretsInJson } from '../../../base/secrets/secret.js';
import type { Identity } from '../../../config/access/identity.js';
import { type Access, findAccess, mayActAs, ROLES } from '../../../config/access/roles.js';
import { cleanText } from '../../../model/clean-text.js';
import { html, showText, value } from '../../../report/writers/page/html-text.js';
import { findClient, groupAddress } from '../address.js';
import type { Port } from '../open-port.js';
import { API_ROUTES } from './api/answer-api.js';
import { refusalDocument } from './api/refusal.js';
import { decided } from './deciding.js';
import { ASSETS, renderPage } from './frame.js';
import { identify } from './identify.js';
import { cookieOptions, LOGIN_ROUTES } from './login-routes.js';
import { MCP_ROUTES } from './mcp-routes.js';
import { PAGE_ROUTES } from './pages/table.js';
import {
  type Audience,
  type Download,
  type JsonAnswer,
  type OperatorPage,
  type WebParts,
  WebRefusal,
  type WebRequest,
  type WebRoute,
} from './route.js';
import { keepSaid, renderSaid } from './said.js';

export const WEB_ROUTES: readonly WebRoute[] = [...LOGIN_ROUTES, ...PAGE_ROUTES, ...API_ROUTES, ...MCP_ROUTES];

const HTML = 'text/html; charset=utf-8';
const PROBLEM = 'application/problem+json';
const FOREIGN_FORM = 'Only a form of these pages can change anything here.';
const OLD_FORM = 'This form is too old, or was created for someone else. Load the page again.';
/** Large enough for a page of changes that are all selected. */
const MOST_FORM_BYTES = 160 * 1024;
const PER_MINUTE = 300;
/** Lower limits per minute for some routes. */
const FEWER_PER_MINUTE: readonly (readonly [path: RegExp, most: number])[] = [
  // Attackers try to guess secrets at the log-in.
  [/^\/login/, 20],
  // Explaining reads everything and holds the run lock meanwhile, so a due run has to wait.
  [/\/explain(\/|$)/, 30],
  // A preview keeps a processor busy for a while.
  [/\/preview$/, 20],
];

interface Admitted {
  readonly asked: WebRequest;
  /** True if the browser proves the identity automatically, so that another site could misuse it. */
  readonly isAmbient: boolean;
}

interface Site extends Pick<WebRequest, 'parts' | 'notedAssistants'> {
  readonly admitted: WeakMap<FastifyRequest, Admitted>;
}

/**
 * Opens the operator pages on their own port. Each request is identified, authorized and checked for forgery before its
 * route answers.
 *
 * @throws SyncError SYNC_WEB_LISTEN if the port cannot be opened
 */
export async function openOperatorPages(parts: WebParts): Promise<Port> {
  const { host, port } = parts.settings();
  const server = await buildOperatorServer(parts);
  try {
    const url = await server.listen({ host, port });
    return { url, close: () => server.close() };
  } catch (error) {
    await server.close();
    throw new SyncError('SYNC_WEB_LISTEN', {
      message: `The operator pages cannot listen on ${host}:${port}: ${asSyncError(error).message}`,
      place: 'web.listen',
      remedy: 'Name a free port and an address of this machine in `web.listen`.',
      cause: error,
    });
  }
}

/** Builds the server without opening a port. */
export async function buildOperatorServer(parts: WebParts): Promise<FastifyInstance> {
  const server = fastify({
    logger: false,
    bodyLimit: MOST_FORM_BYTES,
    forceCloseConnections: true,
    requestTimeout: 30_000,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    frameworkErrors: (_error, _request, reply) =>
      void (reply as unknown as FastifyReply).code(400).send('Bad request.'),
  });
  const admitted = new WeakMap<FastifyRequest, Admitted>();
  const key = await parts.operators.change((store) => store.cookieKey());
  const { publicUrl } = parts.settings();
  await server.register(helmet, {
    contentSecurityPolicy: POLICY,
    referrerPolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
    hsts: publicUrl?.startsWith('https:') === true,
  });
  await server.register(cookie, { secret: keyFor(key, 'cookies') });
  await server.register(csrf, {
    cookieOpts: { ...cookieOptions(publicUrl), path: '/', sameSite: 'strict' },
    csrfOpts: { hmacKey: keyFor(key, 'forms') },
    // A form is valid only for the person who requested it.
    getUserInfo: (request) => askerOf(admitted.get(request)?.asked.person ?? null),
  });
  await server.register(formbody, { bodyLimit: MOST_FORM_BYTES });
  await server.register(rateLimit, {
    max: PER_MINUTE,
    timeWindow: '1 minute',
    keyGenerator: (request) => clientOf(parts, request),
    errorResponseBuilder: () => new WebRefusal(429, 'Too many requests: wait a minute.'),
  });
  server.addHook(
    'onSend',
    async (_request, reply) => void reply.header('cache-control', reply.getHeader('cache-control') ?? 'no-store'),
  );
  const site: Site = { parts, admitted, notedAssistants: new Map() };
  server.setErrorHandler((error, request, reply) => answerError(site, error, request, reply));
  server.setNotFoundHandler((request, reply) =>
    answerError(site, new WebRefusal(404, 'There is nothing here.'), request, reply),
  );
  for (const route of WEB_ROUTES) addRoute(server, site, route);
  for (const { path, type, text } of ASSETS) {
    server.get(path, (_request, reply) =>
      reply.header('cache-control', 'public, max-age=31536000, immutable').type(type).send(text),
    );
  }
  return server;
}

/** Allows no other origins, no inline scripts or styles, and no frames. */
const POLICY = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
};

function keyFor(key: string, use: string): string {
  return createHmac('sha256', key).update(use).digest('hex');
}

function clientOf(parts: WebParts, request: FastifyRequest): string {
  const peer = request.socket.remoteAddress ?? '';
  return groupAddress(findClient(peer, request.headers, parts.settings().trustedProxies));
}

function addRoute(server: FastifyInstance, site: Site, { method, path, audience, answer }: WebRoute): void {
  const { parts, admitted } = site;
  const [, fewer] = FEWER_PER_MINUTE.find(([pattern]) => pattern.test(path)) ?? [];
  server.route({
    method,
    url: path,
    exposeHeadRoute: false,
    config: fewer === undefined ? {} : { rateLimit: { max: fewer, timeWindow: '1 minute' } },
    preHandler: [
      async (request, reply) => {
        await decided(parts.operators.refresh());
        const { asked, isAmbient } = readRequest(site, request, reply);
        admitted.set(request, { asked, isAmbient });
        admit(asked, audience);
        if (asked.tenant !== null) await decided(parts.daemon.bringUp(asked.tenant.name));
      },
      (request, reply, done) => {
        if (method === 'GET' || admitted.get(request)?.isAmbient === false) return done();
        const origin = request.headers['sec-fetch-site'];
        if (origin !== undefined && origin !== 'same-origin') return done(new WebRefusal(403, FOREIGN_FORM));
        server.csrfProtection(request, reply, done);
      },
    ],
    handler: async (request, reply) => {
      const asked = admitted.get(request)?.asked;
      if (asked === undefined) throw new WebRefusal(403, FOREIGN_FORM);
      const given = await answer(asked);
      if ('json' in given) return sendJson(reply, given);
      if ('parts' in given) return sendFile(reply, given);
      if ('events' in given) return reply.type('text/event-stream; charset=utf-8').send(Readable.from(given.events));
      if (!('to' in given)) return await sendPage(asked, given);
      if (given.said !== undefined) keepSaid(asked, given.said);
      return reply.redirect(given.to, 303);
    },
  });
}

function readRequest({ parts, notedAssistants }: Site, request: FastifyRequest, reply: FastifyReply): Admitted {
  const { isLocal, daemon } = parts;
  if (isLocal) requireLocalName(request);
  const found = identify(parts, request);
  if (found === 'wrong token') throw new WebRefusal(401, 'This token is unknown or has expired.');
  const person = found?.person ?? null;
  const settings = parts.settings();
  const params = request.params as Readonly<Record<string, string>>;
  const { pathname, searchParams } = new URL(request.url.replace(/^\/+/, '/'), 'http://pages');
  const accessTo = (tenant: string): Access | null => {
    if (person === null) return null;
    // A person at this machine may run every command, such as `audit erase`.
    if (isLocal) return { roles: ROLES, pseudonyms: false };
    // Read the permissions on each call, because an answer may take a while and they may change meanwhile.
    return findAccess(person, tenant, [...parts.settings().grants, ...parts.operators.store.grantsOf(person.who)]);
  };
  let csrfToken: string | undefined;
  const asked: WebRequest = {
    parts,
    settings,
    person,
    token: found?.token ?? null,
    notedAssistants,
    accessTo,
    isStillIn: () => {
      const again = identify(parts, request);
      return again !== null && again !== 'wrong token' && again.person.who === person?.who;
    },
    // A tenant without a role for this person does not exist for this person.
    tenant: daemon.list().find(({ name }) => name === params.tenant && accessTo(name) !== null) ?? null,
    path: pathname,
    params,
    query: searchParams,
    form: readForm(isForm(request) ? request.body : null),
    cookies: request.cookies,
    csrf: () => {
      csrfToken ??= reply.generateCsrf({ userInfo: askerOf(person) });
      return csrfToken;
    },
    raw: request,
    reply,
  };
  return { asked, isAmbient: found?.isAmbient ?? true };
}

function isForm({ headers, body }: FastifyRequest): boolean {
  return body != null && headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
}

/** A repeated field keeps all its values. */
function readForm(body: unknown): URLSearchParams {
  const fields = Object.entries((body ?? {}) as Readonly<Record<string, string | readonly string[]>>);
  return new URLSearchParams(
    fields.flatMap(([name, values]) => [values].flat().map((one): [string, string] => [name, one])),
  );
}

/** The person for whom a form is created; before the log-in, the same value for everyone. */
function askerOf(person: Identity | null): string {
  return person?.who ?? '-';
}

/** Rejects other host names that point to this machine (DNS rebinding). */
function requireLocalName({ headers }: FastifyRequest): void {
  const name = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  if (name !== 'localhost' && !isLoopback(name)) throw new WebRefusal(403, 'These pages answer under localhost only.');
}

/** @throws WebRefusal 401 before the log-in, 404 for an unknown tenant or one without a role, 403 if the role is too low */
function admit({ person, params, tenant, accessTo }: WebRequest, audience: Audience): void {
  if (audience === 'anybody') return;
  if (person === null) throw new WebRefusal(401, 'Log in first.');
  if (params.tenant !== undefined && tenant === null) throw new WebRefusal(404, 'There is no such tenant.');
  if (audience === 'logged in') return;
  if (tenant === null || !mayActAs(accessTo(tenant.name), audience))
    throw new WebRefusal(403, `This needs the role ${audience}.`);
}

async function answerError(
  site: Site,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const refusal = toRefusal(error);
  if (refusal.status >= 500 && !(error instanceof WebRefusal)) {
    const { code, message } = asSyncError(error);
    site.parts.logger.error({ code, message, path: request.url.split('?')[0] }, 'a page failed');
  }
  reply.code(refusal.status);
  if (refusal.status === 401 && request.method === 'GET' && wantsPage(request) && !hasToken(request)) {
    return reply.redirect(`/login?to=${encodeURIComponent(request.url)}`, 303);
  }
  if (!wantsPage(request)) {
    if (refusal.status === 401) reply.header('www-authenticate', 'Bearer');
    return sendJson(reply.type(PROBLEM), { json: refusalDocument(refusal) });
  }
  const asked = site.admitted.get(request)?.asked ?? null;
  return reply.type(HTML).send(renderPage(asked, refusalPage(refusal, request.method === 'POST' ? asked : null)));
}

/** True for a request by a program, whatever it accepts. */
function hasToken({ headers }: FastifyRequest): boolean {
  return headers.authorization !== undefined;
}

function wantsPage({ url, headers }: FastifyRequest): boolean {
  return !url.startsWith('/api/') && headers.accept?.includes('text/html') === true;
}

function toRefusal(error: unknown): WebRefusal {
  if (error instanceof WebRefusal) return error;
  const { code, statusCode } = (error ?? {}) as { readonly code?: unknown; readonly statusCode?: unknown };
  if (typeof code === 'string' && code.startsWith('FST_CSRF_')) return new WebRefusal(403, OLD_FORM);
  if (typeof statusCode === 'number' && statusCode < 500)
    return new WebRefusal(statusCode, 'This request cannot be read.');
  return new WebRefusal(500, 'Something went wrong here. The log of the daemon has details.');
}

const TITLES: Readonly<Record<number, string>> = { 403: 'Not allowed', 404: 'There is nothing here' };

/** @param posted the rejected form. The page shows the typed text again, so that it is not lost */
function refusalPage({ status, message }: WebRefusal, posted: WebRequest | null): OperatorPage {
  const title = TITLES[status] ?? (posted === null ? 'That does not work' : 'Nothing was changed');
  const typed = posted?.form.get('reason')?.trim() ?? '';
  const said = typed === '' ? null : html`<p>You wrote: ${value(typed)}</p>`;
  const back = posted === null ? null : html`<p class="script"><button data-back>Back to the form</button></p>`;
  const body = html`<p>${showText(message)}</p>${said}${back}<p><a href="/inbox">To the inbox</a></p>`;
  return { title, under: '', body };
}

/** Sends a document. People appear in its texts as the reader may see them, and secrets are hidden. */
function sendJson(reply: FastifyReply, { json, veil = (text) => text, status }: JsonAnswer): FastifyReply {
  if (status !== undefined) reply.code(status);
  if (json === undefined) return reply.send();
  const text = JSON.stringify(json, (_, value: unknown) => (typeof value === 'string' ? veil(value) : value));
  if (reply.getHeader('content-type') === undefined) reply.type('application/json; charset=utf-8');
  return reply.send(cleanText(hideSecretsInJson(text)));
}

/** Generates the file while sending it. Each part consists of complete lines, and secrets in them are hidden. */
function sendFile(reply: FastifyReply, { file, type, parts }: Download): FastifyReply {
  const hidden = async function* (): AsyncIterable<string> {
    for await (const part of parts) yield hideSecrets(part);
  };
  const name = file.replace(/[^\w.-]/g, '_');
  return reply.type(type).header('content-disposition', `attachment; filename="${name}"`).send(Readable.from(hidden()));
}

const compress = promisify(gzip);
/** Shorter pages are sent uncompressed. */
const LEAST_PACKED = 4_096;
/** A page of 10,000 changes shrinks to a tenth of its size. The next levels save little and take twice as long. */
const LEVEL = 3;

async function sendPage(asked: WebRequest, view: OperatorPage): Promise<FastifyReply> {
  const { reply, raw } = asked;
  const text = cleanText(hideSecrets(renderPage(asked, view, renderSaid(asked))));
  reply
    .code(view.status ?? 200)
    .type(HTML)
    .header('vary', 'accept-encoding');
  if (text.length < LEAST_PACKED || !/\bgzip\b/.test(raw.headers['accept-encoding'] ?? '')) return reply.send(text);
  return reply.header('content-encoding', 'gzip').send(await compress(text, { level: LEVEL }));
}
