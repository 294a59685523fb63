import { type IncomingMessage, type RequestOptions, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { codeOf } from '../../base/errors.js';
import { createGuardedLookup } from '../../base/http/guarded-lookup.js';
import { isLinkLocal, isPrivate, readAddress } from '../../base/http/private-address.js';
import { encodeBasic } from '../../base/secrets/encode-basic.js';
import type { NotifyAddress } from '../../config/resolve-notify.js';

export interface HttpSending {
  readonly address: NotifyAddress;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal: AbortSignal;
}

export interface HttpSent {
  readonly status: number;
  /** How long the receiver asks to be left alone; null where it does not. */
  readonly retryAfterMs: number | null;
  /** Of the answer, for a person who tries it out. */
  readonly beginning: string;
}

/** More of an answer is not read. */
const MOST_BYTES = 2_048;

/** Why nothing was answered: our own words, without the address, which can be a secret. */
export class NotSent extends Error {}

/** One request and its answer, by a connection of its own. A redirect is an answer like any other. @throws NotSent */
export async function sendHttp(sending: HttpSending): Promise<HttpSent> {
  const { address, signal } = sending;
  const text = typeof address.url === 'string' ? address.url : address.url.reveal();
  if (!URL.canParse(text)) throw new NotSent('its address is no address');
  const url = new URL(text);
  const named = readAddress(url);
  if (named !== null) checkAddress(named, address);
  if (url.protocol !== 'https:' && !address.isPrivateAllowed) throw new NotSent('its address is not encrypted');
  const late = AbortSignal.timeout(address.timeoutMs);
  try {
    return await exchange(url, sending, AbortSignal.any([signal, late]));
  } catch (error) {
    if (error instanceof NotSent) throw error;
    if (late.aborted) throw new NotSent(`no answer within ${address.timeoutMs / 1_000} s`);
    throw new NotSent(signal.aborted ? 'stopped' : `not reached (${codeOf(error) ?? 'connection broken'})`);
  }
}

async function exchange(
  url: URL,
  { address, method, headers, body }: HttpSending,
  signal: AbortSignal,
): Promise<HttpSent> {
  const way =
    address.proxy === null
      ? { agent: false, lookup: createGuardedLookup((ip) => checkAddress(ip, address)) }
      : await enter(url, address.proxy, signal);
  return new Promise((done, fail) => {
    const request = url.protocol === 'https:' ? requestSecure : requestPlain;
    const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = request(url, { method, headers: { ...headers, ...length }, ...way, signal });
    sent.on('error', fail);
    sent.on('response', (answer) => {
      readBeginning(answer)
        .then((beginning) => {
          const retryAfterMs = readRetryAfter(answer.headers['retry-after']);
          done({ status: answer.statusCode ?? 0, retryAfterMs, beginning });
        })
        .catch(fail);
    });
    sent.end(body ?? undefined);
  });
}

/**
 * A tunnel that the proxy makes: it knows the name of the server, and nothing of what is sent. Which address the name leads
 * to is the proxy's to find, and to allow.
 */
async function enter(
  url: URL,
  { url: proxy, login }: NonNullable<NotifyAddress['proxy']>,
  signal: AbortSignal,
): Promise<RequestOptions> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const path = `${url.hostname}:${url.port === '' ? 443 : url.port}`;
  const authorization = login === null ? {} : { 'proxy-authorization': encodeBasic(login.username, login.password) };
  const socket = await new Promise<Socket>((done, fail) => {
    const request = proxy.startsWith('https:') ? requestSecure : requestPlain;
    const headers = { host: path, ...authorization };
    const asked = request(proxy, { method: 'CONNECT', path, headers, agent: false, signal });
    asked.on('error', (error) => {
      fail(signal.aborted ? error : new NotSent(`the proxy is not reached (${codeOf(error) ?? 'connection broken'})`));
    });
    asked.on('connect', ({ statusCode }, opened) => {
      if (statusCode === 200) return done(opened);
      opened.destroy();
      fail(new NotSent(`the proxy answered ${statusCode}`));
    });
    asked.end();
  });
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return {
    // Without an agent it would be that of plain HTTP, and be named to the receiver.
    defaultPort: 443,
    createConnection: () => connectSecure({ socket, host, ...servername }),
  };
}

async function readBeginning(answer: IncomingMessage): Promise<string> {
  const held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    held.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes >= MOST_BYTES) break;
  }
  answer.destroy();
  return Buffer.concat(held).subarray(0, MOST_BYTES).toString('utf8');
}

/** Whole seconds; a date is taken for a usual pause. */
function readRetryAfter(value: string | undefined): number | null {
  return value !== undefined && /^\d{1,5}$/.test(value) ? Number(value) * 1_000 : null;
}

/** Clouds show the credentials of a machine under a link-local address: no setting allows those. */
function checkAddress(ip: string, { isPrivateAllowed }: NotifyAddress): void {
  if (isLinkLocal(ip)) throw new NotSent('its address is a link-local one');
  if (isPrivate(ip) && !isPrivateAllowed)
    throw new NotSent('its address is not public; `private_addresses: allowed` would let it be reached');
}
