import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { breathe } from '../../base/clock.js';
import { isLoopback } from '../../base/http/private-address.js';
import { hideSecrets, type Secret } from '../../base/secrets/secret.js';
import { cleanText } from '../../model/clean-text.js';
import { isWithin } from './address.js';
import { isAnyOf, readBearer } from './bearer.js';
import { createHookReceiver, type HookReceiverOptions, isHook } from './hooks/hook-receiver.js';
import { openPort, type Port } from './open-port.js';
import { createReceiver, type ReceiverOptions } from './scim/receiver.js';
import { isScim } from './scim/scim-address.js';
import { answerUnread, isUnread, type Visit } from './visit.js';
import { WrongTokens } from './wrong-tokens.js';

export interface HealthServerOptions {
  readonly host: string;
  /** Port to listen on; 0 takes any free port. */
  readonly port: number;
  /** Lets remote clients read metrics and details; null if only this machine may read them. */
  readonly token: Secret | null;
  readonly health: Health;
  /** Receives pushes from identity providers; without it, /scim/v2 does not exist. */
  readonly receiver?: ReceiverOptions;
  /** Receives hooks from vendors; without it, /hooks does not exist. */
  readonly hooks?: HookReceiverOptions;
  readonly metrics: { readonly contentType: string; render(): Promise<string> };
}

export interface Health {
  /** Returns null while the daemon's clock ticks, else the problem. */
  whyDead(): string | null;
  /** One sentence for each part that is not ready, with the tenant's name; empty when all parts are ready. */
  whyNotReady(): readonly { readonly tenant: string | null; readonly because: string }[];
}

interface HealthPage {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** True to compress the response for clients that accept it: 90 KiB instead of 1.5 MiB for a thousand tenants. */
  readonly isBig?: boolean;
}

const compress = promisify(gzip);

/**
 * Serves `/livez` and `/readyz` to all clients, without details. `/metrics`, and the details of `/readyz`, are for this
 * machine or clients with the token. The server never reads a request body.
 *
 * @throws SyncError SYNC_WEB_LISTEN if the port cannot be opened
 */
export async function openHealthServer(options: HealthServerOptions): Promise<Port> {
  const { host, port, health, metrics, token, receiver, hooks } = options;
  const wrongTokens = new WrongTokens();
  const serveScim = receiver === undefined ? null : createReceiver(receiver, wrongTokens);
  const serveHook = hooks === undefined ? null : createHookReceiver(hooks, wrongTokens);

  const pages: Readonly<Record<string, (visit: Visit) => HealthPage | Promise<HealthPage>>> = {
    '/livez'() {
      const because = health.whyDead();
      return because === null ? { status: 200, text: 'ok' } : { status: 503, text: because };
    },
    '/readyz'(visit) {
      const open = health.whyNotReady();
      if (open.length === 0) return { status: 200, text: 'ready' };
      const details = mayLook(visit, token)
        ? open.map(({ tenant, because }) => `${tenant === null ? '' : `${tenant}: `}${because}`)
        : [`${open.length} not ready; only this machine and requests with the token see details`];
      return { status: 503, text: `not ready\n${details.join('\n')}` };
    },
    async '/metrics'(visit) {
      if (mayLook(visit, token)) {
        visit.prove();
        return {
          status: 200,
          text: await metrics.render(),
          headers: { 'content-type': metrics.contentType },
          isBig: true,
        };
      }
      return refuseMetrics(visit, token, wrongTokens);
    },
  };

  async function serve(visit: Visit): Promise<void> {
    const { method = '', url = '' } = visit.request;
    if (serveScim !== null && isScim(url)) return serveScim(visit);
    if (serveHook !== null && isHook(url)) return serveHook(visit);
    const page = ['GET', 'HEAD'].includes(method) ? pages[url.split('?')[0] ?? ''] : undefined;
    await answerPage(
      visit,
      page === undefined ? { status: 404, text: 'This port serves /livez, /readyz and /metrics.' } : await page(visit),
    );
  }

  const isProxy = (address: string): boolean =>
    receiver?.proxies().some((trusted) => isWithin(address, trusted)) === true ||
    (hooks !== undefined && isWithin(address, hooks.proxies()));
  return openPort({ host, port, serve, isProxy });
}

async function refuseMetrics(
  { request, signal }: Visit,
  token: Secret | null,
  wrongTokens: WrongTokens,
): Promise<HealthPage> {
  const isSent = readBearer(request.headers.authorization) !== '';
  const waitSeconds = isSent ? await wrongTokens.holdBack(request.socket.remoteAddress ?? '', signal) : null;
  if (waitSeconds !== null)
    return { status: 429, text: 'Too many wrong tokens.', headers: { 'retry-after': String(waitSeconds) } };
  const text =
    token === null
      ? 'Metrics are for this machine only: set TALENT_SYNC_METRICS_TOKEN, and send it as a bearer token.'
      : 'Send the token of TALENT_SYNC_METRICS_TOKEN as a bearer token.';
  return { status: 401, text, headers: { 'www-authenticate': 'Bearer realm="talent-sync"' } };
}

async function answerPage(visit: Visit, { status, text, headers = {}, isBig = false }: HealthPage): Promise<void> {
  const { request, response } = visit;
  const all = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers };
  for (const [name, value] of Object.entries({ ...all, 'x-content-type-options': 'nosniff' }))
    response.setHeader(name, value);
  const body = await showInSteps(text.endsWith('\n') ? text : `${text}\n`);
  if (isUnread(request) || status === 401 || status === 429) answerUnread(visit, status, body);
  else {
    const isPacked = isBig && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    const bytes = isPacked ? await compress(body) : Buffer.from(body);
    if (isPacked) response.setHeader('content-encoding', 'gzip');
    response.writeHead(status, { 'content-length': bytes.byteLength }).end(bytes);
  }
}

/** Matches the lines processed before yielding, which takes a few milliseconds. No secret contains a line break. */
const PIECES = /(?:[^\n]*\n){1,10000}/g;

async function showInSteps(text: string): Promise<string> {
  const shown: string[] = [];
  for (const [piece] of text.matchAll(PIECES)) {
    if (shown.length > 0) await breathe(undefined);
    shown.push(cleanText(hideSecrets(piece)));
  }
  return shown.join('');
}

function mayLook({ request }: Visit, token: Secret | null): boolean {
  if (token === null) return isLoopback(request.socket.remoteAddress ?? '');
  return isAnyOf(readBearer(request.headers.authorization), [token]);
}
