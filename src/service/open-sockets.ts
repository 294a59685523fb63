import { openHttpSockets } from '../base/http/http-sockets.js';
import type { SocketOptions, Sockets } from '../base/http/sockets.js';
import type { Way } from '../base/http/way.js';

export type OpenSockets = (
  options: SocketOptions & {
    /** A signed link may lead to any host. That host gets no client certificate, and the system's trust store applies. */
    readonly to: 'service' | 'link';
  },
) => Sockets;

/** Opens sockets with the TLS and proxy settings for the service. */
export function openSocketsBy({ tls, proxy }: Pick<Way, 'tls' | 'proxy'>): OpenSockets {
  return (options) => openHttpSockets({ ...options, tls: options.to === 'service' ? tls : null, proxy });
}
