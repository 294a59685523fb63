import type { LookupFunction } from 'node:net';
import type { Agent, ProxyAgent } from 'undici';
import { encodeBasic } from '../secrets/encode-basic.js';
import type { ProxySettings } from '../settings/proxy.js';
import type { TlsSettings } from '../settings/tls.js';

/** The way to another system: through its proxy, trusting its authority, showing its certificate. */
export interface Way {
  readonly tls: TlsSettings | null;
  readonly proxy: ProxySettings | null;
  /** The variable of the environment that names a proxy, where the configuration names none: it is not used. */
  readonly unusedProxy: string | null;
}

/** Node's codes for certificates of unknown authorities. */
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)|CERT_UNTRUSTED/;

export function isUntrusted(code: string): boolean {
  return UNTRUSTED.test(code);
}

/** undici's words for a proxy that made no tunnel. */
const OF_PROXY = /^Proxy response \((\d+)\)/;

/** The status with which a proxy rejected the tunnel; null for any other error. */
export function readProxyAnswer(error: unknown): string | null {
  for (let next = error; next instanceof Error; next = next.cause) {
    const [, status] = OF_PROXY.exec(next.message) ?? [];
    if (status !== undefined) return status;
  }
  return null;
}

/** A connection that could not be made. */
export interface FailedWay extends Pick<Way, 'unusedProxy'> {
  /** From Node's error. */
  readonly code: string;
  /** With which status the proxy refused it. */
  readonly proxyAnswer: string | null;
}

/**
 * Advice about a connection that failed, if the error or the environment says enough; null otherwise.
 *
 * @param at whose keys in the configuration: `service.`, or blank for those of a source
 */
export function hintAtWay({ code, proxyAnswer, unusedProxy }: FailedWay, at: string): string | null {
  if (proxyAnswer === '407')
    return `The proxy wants a login: set \`${at}proxy.username\` and \`${at}proxy.password\`, or correct them.`;
  if (proxyAnswer !== null) return `Have the proxy of \`${at}proxy\` let this address through, or correct the key.`;
  if (isUntrusted(code))
    return `\`${at}tls.ca\` has to name the authority that signed its certificate; NODE_EXTRA_CA_CERTS does so for all connections.`;
  return unusedProxy === null ? null : `${unusedProxy} is set, and is not used: name the proxy in \`${at}proxy\`.`;
}

/** Node's options for TLS connections. */
export function tlsOptions(tls: TlsSettings | null) {
  return {
    ...(tls?.ca == null ? {} : { ca: tls.ca }),
    ...(tls?.client == null ? {} : { cert: tls.client.cert, key: tls.client.key.reveal() }),
    ...(tls?.client?.passphrase == null ? {} : { passphrase: tls.client.passphrase.reveal() }),
  };
}

/** Idle connections are given up before usual servers do so: a request sent into a closing one would be lost. */
export const KEEP_ALIVE_MS = 4_000;

export interface AgentOptions extends Pick<Way, 'tls' | 'proxy'> {
  readonly connections?: number;
  /** How names are looked up; by the system unless given. A proxy looks them up itself. */
  readonly lookup?: LookupFunction;
}

/** Its package is loaded with the first call: most runs need none. */
export async function openAgent({ tls, proxy, lookup, ...more }: AgentOptions): Promise<Agent | ProxyAgent> {
  const { Agent, ProxyAgent } = await import('undici');
  const connect = { ...tlsOptions(tls), ...(lookup === undefined ? {} : { lookup }) };
  const pool = { ...more, keepAliveTimeout: KEEP_ALIVE_MS, pipelining: 1 };
  if (proxy === null) return new Agent({ ...pool, connect });
  return new ProxyAgent({
    ...pool,
    uri: proxy.url,
    requestTls: tlsOptions(tls),
    ...(proxy.login === null ? {} : { token: encodeBasic(proxy.login.username, proxy.login.password) }),
  });
}
