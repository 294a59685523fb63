import { timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { sha256 } from '../../model/sha256.js';
import { Refusal, refuse } from '../fields/refusal.js';

/**
 * Protects the pages. On the machine of the sandbox they need no key, so pages of other sites must not be able to use them
 * through a browser there:
 * - A host name with a dot could point to this machine (DNS rebinding), so pages answer only to other names and addresses.
 * - A change must come from a form of these pages.
 * - Another machine must send the control key as the password.
 */
export function guardPage(request: FastifyRequest, controlKey: string): void {
  const { host = '', 'sec-fetch-site': site, origin } = request.headers;
  if (!isOwnHost(host)) refuse(403, 'Open these pages with an IP address, localhost, or a host name without a dot.');
  if (!isLoopback(request.socket.remoteAddress ?? '') && !hasControlKey(request.headers.authorization, controlKey)) {
    throw new Refusal(
      401,
      'From another machine, log in with any name, and with the control key of the sandbox as the password.',
    );
  }
  if (request.method === 'GET') return;
  const isFromHere = site === undefined ? hostOf(origin) === host : site === 'same-origin';
  if (!isFromHere) refuse(403, 'Only the forms of these pages can change something here.');
}

/** Rejects requests from pages of other sites. */
export function requireSameSite({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site === 'cross-site' || site === 'same-site') refuse(403, 'Only the pages of the sandbox can read this.');
}

function isOwnHost(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  if (name.startsWith('[')) return isIP(name.slice(1, -1)) === 6;
  return isIP(name) === 4 || /^[a-z0-9_-]+$/.test(name) || name.endsWith('.localhost');
}

function isLoopback(address: string): boolean {
  return /^(::ffff:)?127\./.test(address) || address === '::1';
}

function hostOf(origin: string | undefined): string | undefined {
  return origin !== undefined && URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** True if the request has the control key as password in basic authentication. The user name may be anything. */
function hasControlKey(authorization: string | undefined, controlKey: string): boolean {
  const base64 = /^Basic\s+(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
  const password = /^[^:]*:(.*)$/s.exec(Buffer.from(base64, 'base64').toString('utf8'))?.[1] ?? '';
  return timingSafeEqual(Buffer.from(sha256(password)), Buffer.from(sha256(controlKey)));
}
