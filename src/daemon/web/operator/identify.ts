import type { FastifyRequest } from 'fastify';
import { isoNow } from '../../../base/clock.js';
import { foldIdentity, type Identity, isDisguised, NOBODY } from '../../../config/access/identity.js';
import type { ProxyLogin, WebSettings } from '../../../config/web-settings.js';
import { isWithin } from '../address.js';
import { readBearer } from '../bearer.js';
import { type WebParts, WebRefusal } from './route.js';

export interface Identified {
  readonly person: Identity;
  /** True if the browser proves the identity automatically with every request, so that another site could misuse it. */
  readonly isAmbient: boolean;
  /** Id of the personal token; null for other log-ins. */
  readonly token: string | null;
}

const LOCAL: Identity = { who: NOBODY, name: 'this machine', groups: [], via: 'loopback' };

/** Name of the log-in cookie. `__Host-` keeps other hosts of the domain from setting it, and requires https. */
export function loginCookie({ publicUrl }: WebSettings): string {
  return publicUrl?.startsWith('https:') === true ? '__Host-talent-sync' : 'talent-sync';
}

/**
 * Identifies the sender of a request by a personal token, the header of a trusted proxy, or a log-in cookie. Every request
 * is identified again, so revoking a log-in, token or role takes effect immediately.
 */
export function identify(parts: WebParts, request: FastifyRequest): Identified | 'wrong token' | null {
  const { clock, isLocal } = parts;
  const settings = parts.settings();
  const bearer = settings.tokens ? readBearer(request.headers.authorization) : '';
  if (bearer !== '') {
    const token = parts.operators.store.findToken(bearer, isoNow(clock));
    if (token === null) noteRejected(parts, request, { via: 'token', operator: parts.operators.store.ownerOf(bearer) });
    return token === null ? 'wrong token' : { person: ofToken(token.who), isAmbient: false, token: token.id };
  }
  if (isLocal) return { person: LOCAL, isAmbient: true, token: null };
  const named = settings.proxy === null ? null : readProxy(parts, settings.proxy, request);
  if (named !== null) return { person: named, isAmbient: true, token: null };
  const cookie = request.cookies[loginCookie(settings)];
  if (cookie === undefined) return null;
  const { idleMs, longestMs } = settings;
  const login = parts.operators.store.findLogin(cookie, { nowMs: clock.now(), idleMs, longestMs });
  return login === null ? null : { person: JSON.parse(login.person) as Identity, isAmbient: true, token: null };
}

/** A rejected log-in. The operator is null if unknown. */
interface Rejected {
  readonly via: Identity['via'];
  readonly operator: string | null;
  readonly because?: string;
}

/** Logs a failed log-in, with the address and, if known, the person. */
export function noteRejected(
  { logger }: Pick<WebParts, 'logger'>,
  { socket }: FastifyRequest,
  rejected: Rejected,
): void {
  logger.warn({ ...rejected, address: socket.remoteAddress }, 'log-in rejected');
}

export function ofToken(who: string): Identity {
  return { who, name: who, groups: [], via: 'token' };
}

/** Reads the header of a trusted proxy. In any other request, the sender may have forged the header. */
function readProxy(parts: WebParts, { who, groups }: ProxyLogin, request: FastifyRequest): Identity | null {
  if (!isWithin(request.socket.remoteAddress ?? '', parts.settings().trustedProxies)) return null;
  const name = readHeader(request, who);
  if (name === '') return null;
  if (isDisguised(name)) {
    noteRejected(parts, request, { via: 'proxy', operator: name });
    throw new WebRefusal(403, `The proxy sent the name "${name}", which contains characters that look like others.`);
  }
  const listed = groups === null ? [] : readHeader(request, groups).split(',');
  const named = listed.map((group) => group.trim()).filter((group) => group !== '');
  return { who: foldIdentity(name), name, groups: named, via: 'proxy' };
}

/** Reads a header that occurs once. A repeated header means that a proxy appended to one from the client, so neither counts. */
function readHeader({ raw }: FastifyRequest, name: string): string {
  const values = raw.headersDistinct[name.toLowerCase()] ?? [];
  return values.length === 1 ? (values[0] ?? '').trim() : '';
}
