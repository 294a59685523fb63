import { openHttpSockets } from '../base/http/http-sockets.js';
import type { SocketOptions, Sockets } from '../base/http/sockets.js';
import type { Way } from '../base/http/way.js';

export type OpenSockets = (
  options: SocketOptions & {
    /** A signed link may point anywhere: its host is shown no certificate, and trusted as the system does. */
    readonly to: 'service' | 'link';
  },
) => Sockets;

/** Sockets by the way to the service. */
export function openSocketsBy({ tls, proxy }: Pick<Way, 'tls' | 'proxy'>): OpenSockets {
  return (options) => openHttpSockets({ ...options, tls: options.to === 'service' ? tls : null, proxy });
}
