import { timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { sha256 } from '../../model/sha256.js';
import { Refusal, refuse } from '../fields/refusal.js';

/**
 * Pages need no key on the machine that the sandbox runs on, so that a browser there must not be made to use them by
 * somebody else's page:
 * - a name with a dot can be pointed at this machine by its owner (DNS rebinding): pages answer under addresses and
 *   names without one;
 * - what changes something comes from a form of these pages;
 * - from another machine the control key is asked for, as the password.
 */
export function guardPage(request: FastifyRequest, controlKey: string): void {
  const { host = '', 'sec-fetch-site': site, origin } = request.headers;
  if (!isOwnHost(host)) refuse(403, 'These pages answer under an address, localhost, or a name without a dot.');
  if (!isLoopback(request.socket.remoteAddress ?? '') && !hasControlKey(request.headers.authorization, controlKey)) {
    throw new Refusal(401, 'From another machine, the password is the control key that the sandbox printed.');
  }
  if (request.method === 'GET') return;
  const isFromHere = site === undefined ? hostOf(origin) === host : site === 'same-origin';
  if (!isFromHere) refuse(403, 'Only a form of these pages changes something here.');
}

/** What a page of somebody else may not even begin to read. */
export function requireSameSite({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site === 'cross-site' || site === 'same-site') refuse(403, 'This is for the pages of the sandbox only.');
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

/** Basic authentication, with any name. */
function hasControlKey(authorization: string | undefined, controlKey: string): boolean {
  const base64 = /^Basic\s+(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
  const password = /^[^:]*:(.*)$/s.exec(Buffer.from(base64, 'base64').toString('utf8'))?.[1] ?? '';
  return timingSafeEqual(Buffer.from(sha256(password)), Buffer.from(sha256(controlKey)));
}
