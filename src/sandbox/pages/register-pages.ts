import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../report/writers/page/html-text.js';
import type { OtherAnswer } from '../calls/call.js';
import { MOST_FORM_BYTES, readContentType, readFormFields } from '../calls/multipart.js';
import { Refusal, refuse } from '../fields/refusal.js';
import { sendFile } from '../server/server.js';
import { CALLS_PAGE } from './calls-page.js';
import { CONTROLS_PAGE } from './controls-page.js';
import { CUSTOMER_PAGE, CUSTOMERS_PAGE } from './customers-page.js';
import { CV_PAGE } from './cv-page.js';
import { CV_SECTION_PAGE } from './cv-section-page.js';
import { findStoredFile, renderDownload } from './files-page.js';
import { type Assets, renderPage, STYLE } from './frame.js';
import { guardPage, requireSameSite } from './guard-page.js';
import { createLive } from './live.js';
import { MAILS_PAGE } from './mails-page.js';
import { OFFICES_PAGE } from './offices-page.js';
import { OVERVIEW_PAGE } from './overview-page.js';
import type { PageParts, PageRequest, PageRoute, PageView, Refused } from './page.js';
import { PROJECT_PAGE } from './project-page.js';
import { PROJECTS_PAGE } from './projects-page.js';
import { PROPOSAL_PAGE, PROPOSALS_PAGE } from './proposals-page.js';
import { CATEGORY_PAGE, TAGS_PAGE } from './tags-page.js';
import { USER_PAGE } from './user-page.js';
import { USERS_PAGE } from './users-page.js';

/** All pages. Their paths are not used by the service. */
export const PAGES: readonly PageRoute[] = [
  OVERVIEW_PAGE,
  USERS_PAGE,
  USER_PAGE,
  CV_PAGE,
  CV_SECTION_PAGE,
  OFFICES_PAGE,
  TAGS_PAGE,
  CATEGORY_PAGE,
  CUSTOMERS_PAGE,
  CUSTOMER_PAGE,
  PROJECTS_PAGE,
  PROJECT_PAGE,
  PROPOSALS_PAGE,
  PROPOSAL_PAGE,
  CALLS_PAGE,
  MAILS_PAGE,
  CONTROLS_PAGE,
];

/** Headers that forbid other origins, inline scripts, inline styles and frames. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  // If referrers were disabled, browsers would also omit the origin of forms.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const YEAR_CACHED = 'public, max-age=31536000, immutable';

type Answer = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>;

/** Registers the pages, their style and script, the files of records, and the event stream. */
export function registerPages(server: FastifyInstance, parts: PageParts): void {
  const assets = { script: readFileSync(new URL('./pages-script.js', import.meta.url), 'utf8') };
  const live = createLive(parts);
  server.addHook('preClose', async () => live.close());
  const shown = { parts, assets };

  function add(method: 'GET' | 'POST', url: string, answer: Answer): void {
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      reply.headers(HEADERS).header('cache-control', 'no-store');
      try {
        guardPage(request, parts.controlKey);
        return await answer(request, reply);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.status === 401) reply.header('www-authenticate', 'Basic realm="sandbox", charset="UTF-8"');
        return sendPage(shown, reply.code(error.status), {
          page: readRequest(parts, request),
          view: describeRefusal(error),
        });
      }
    };
    const config = { isPage: true } as const;
    server.route({ method, url, exposeHeadRoute: false, bodyLimit: MOST_FORM_BYTES, config, handler });
  }

  for (const route of PAGES) {
    add('GET', route.path, (request, reply) => {
      const page = readRequest(parts, request);
      return sendPage(shown, reply, { page, view: route.show(page) });
    });
    if (route.actions !== undefined) add('POST', route.path, (request, reply) => act(shown, route, request, reply));
  }
  add('GET', '/pages/style.css', (_, reply) => sendAsset(reply, 'text/css', STYLE));
  add('GET', '/pages/script.js', (_, reply) => sendAsset(reply, 'text/javascript', assets.script));
  add('GET', '/stored/:file_id', (request, reply) => send(reply, findStoredFile(readRequest(parts, request))));
  add('GET', '/documents/:kind/:record_id/:language_code/:filetype', async (request, reply) =>
    send(reply, await renderDownload(readRequest(parts, request))),
  );
  add('GET', '/live', (request, reply) => {
    requireSameSite(request);
    live.watch(request, reply);
    return reply;
  });
}

interface ShownParts {
  readonly parts: PageParts;
  readonly assets: Assets;
}

interface ShownPage {
  readonly page: PageRequest;
  readonly view: PageView;
}

function sendPage({ assets }: ShownParts, reply: FastifyReply, { page, view }: ShownPage): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(renderPage(page, view, assets));
}

function send(reply: FastifyReply, { file }: OtherAnswer): FastifyReply {
  return file === undefined ? refuse(404, 'there is no such file') : sendFile(reply, file);
}

/** Sends an asset. Its address contains a digest of the content, so browsers may cache it without a limit. */
function sendAsset(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply.header('cache-control', YEAR_CACHED).type(`${type}; charset=utf-8`).send(text);
}

function readRequest(parts: PageParts, request: FastifyRequest): PageRequest {
  const { pathname, searchParams: query } = new URL(request.url.replace(/^\/+/, '/'), 'http://sandbox');
  const sent = {
    ...readContentType(request.headers['content-type'] ?? ''),
    bytes: Buffer.isBuffer(request.body) ? request.body : undefined,
  };
  return {
    parts,
    world: parts.world,
    path: pathname,
    params: request.params as Readonly<Record<string, string>>,
    query,
    form: sent.boundary === undefined ? new URLSearchParams(sent.bytes?.toString('utf8')) : readFormFields(sent),
    sent,
    baseUrl: `http://${request.headers.host ?? 'localhost'}`,
    refusal: null,
  };
}

/** Processes a form and redirects to a page that can be reloaded. A rejected form is shown again with its input. */
function act(shown: ShownParts, route: PageRoute, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const page = readRequest(shown.parts, request);
  const name = page.form.get('do') ?? '';
  const actions = route.actions ?? {};
  const action =
    (Object.hasOwn(actions, name) ? actions[name] : undefined) ?? refuse(400, 'the form has no known action');
  try {
    const next = action(page);
    const address = typeof next === 'string' ? next : page.path;
    const whole = address.includes('?') ? address : `${address}?done=${nameDone(name)}`;
    return reply.code(303).header('location', whole).send();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const refusal: Refused = { message: describeError(error), form: page.form };
    const again = { ...page, refusal };
    return sendPage(shown, reply.code(error.status), { page: again, view: route.show(again) });
  }
}

/** Returns the word in the next address that selects the message. */
function nameDone(action: string): string {
  const verb = /^(add|save|remove)/.exec(action)?.[1];
  return verb ?? { tag: 'add', untag: 'remove' }[action] ?? 'done';
}

function describeError({ message, extras }: Refusal): string {
  const { errors, details } = extras;
  const more = [errors, details].flat().filter((text) => typeof text === 'string' && text !== message);
  const whole = [message, ...more].join('\n');
  return `Not done: ${whole}`;
}

function describeRefusal({ status, message }: Refusal): PageView {
  const title = status === 404 ? 'Page not found' : 'Request rejected';
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return { title, under: '', body: html`<p>${text}</p><p><a href="/">Go to the overview</a></p>` };
}
