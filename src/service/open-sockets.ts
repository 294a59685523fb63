import type { Way } from '../base/http/open-agent.js';
import { openFetchSockets } from './fetch-sockets.js';
import { openHttpSockets } from './http-sockets.js';
import type { OpenSockets } from './sockets.js';

/** Sockets of Node's own client where the service is reached directly, and undici's through a proxy. */
export function openSocketsBy({ tls, proxy }: Pick<Way, 'tls' | 'proxy'>): OpenSockets {
  if (proxy !== null) return openFetchSockets((url, init) => globalThis.fetch(url, init), { tls, proxy });
  return (options) => openHttpSockets({ ...options, tls: options.to === 'service' ? tls : null });
}
