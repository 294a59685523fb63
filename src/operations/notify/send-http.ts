import { readBroken } from '../../base/http/broken-connection.js';
import { Deadline } from '../../base/http/deadline.js';
import { createGuardedLookup } from '../../base/http/guarded-lookup.js';
import { openHttpSockets } from '../../base/http/http-sockets.js';
import { isLinkLocal, isPrivate, readAddress } from '../../base/http/private-address.js';
import { readBeginning } from '../../base/http/read-answer.js';
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
  /** The pause that the receiver asks for; null if there is none. */
  readonly retryAfterMs: number | null;
  /** The beginning of the response, for a person who tests the channel. */
  readonly beginning: string;
}

/** Maximum number of bytes of a response to read. */
const MOST_BYTES = 2_048;

/** The reason why there is no response, in our own words. The text omits the address, which can be a secret. */
export class NotSent extends Error {}

/**
 * Sends one request on a separate connection. A redirect is a response like any other.
 * @throws NotSent
 */
export async function sendHttp({ address, method, headers, body, signal }: HttpSending): Promise<HttpSent> {
  const text = typeof address.url === 'string' ? address.url : address.url.reveal();
  if (!URL.canParse(text)) throw new NotSent('its address is not valid');
  const url = new URL(text);
  const named = readAddress(url);
  if (named !== null) checkAddress(named, address);
  if (url.protocol !== 'https:' && !address.isPrivateAllowed) throw new NotSent('its address is not encrypted');
  const deadline = new Deadline(address.timeoutMs, signal);
  const lookup = createGuardedLookup((ip) => checkAddress(ip, address));
  const sockets = openHttpSockets({ proxy: address.proxy, lookup });
  try {
    const request = { method, url: text, headers, signal: deadline.signal };
    const answer = await sockets.send({ ...request, ...(body !== null && { body }) });
    const retryAfterMs = readRetryAfter(answer.headers.get('retry-after'));
    return { status: answer.status, retryAfterMs, beginning: await readBeginning(answer, MOST_BYTES) };
  } catch (error) {
    throw error instanceof NotSent ? error : new NotSent(explain(error, deadline, address));
  } finally {
    deadline.release();
    await sockets.close();
  }
}

function explain(error: unknown, deadline: Deadline, { timeoutMs }: NotifyAddress): string {
  const ended = deadline.ended();
  if (ended !== null) return ended === 'stopped' ? ended : `no answer within ${timeoutMs / 1_000} s`;
  const { code, proxyFault } = readBroken(error);
  if (proxyFault !== null && proxyFault.status !== null) return proxyFault.message;
  return `${proxyFault?.message ?? 'not reached'} (${code || 'connection broken'})`;
}

/** Reads a number of seconds. If the header has a date, the usual pause applies. */
function readRetryAfter(value: string | null): number | null {
  return value !== null && /^\d{1,5}$/.test(value) ? Number(value) * 1_000 : null;
}

/** Rejects link-local addresses, because clouds serve a machine's credentials there. No setting allows them. */
function checkAddress(ip: string, { isPrivateAllowed }: NotifyAddress): void {
  if (isLinkLocal(ip)) throw new NotSent('its address is link-local');
  if (isPrivate(ip) && !isPrivateAllowed)
    throw new NotSent('its address is not public; `private_addresses: allowed` would permit it');
}
