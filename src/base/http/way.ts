import type { ProxySettings } from '../settings/proxy.js';
import type { TlsSettings } from '../settings/tls.js';

/** The settings for reaching another system: its proxy, its certificate authority, and the client certificate for it. */
export interface Way {
  readonly tls: TlsSettings | null;
  readonly proxy: ProxySettings | null;
  /** The environment variable that names a proxy, if the configuration names none. This proxy is not used. */
  readonly unusedProxy: string | null;
}

/** Node's options for TLS connections. */
export function tlsOptions(tls: TlsSettings | null) {
  return {
    ...(tls?.ca == null ? {} : { ca: tls.ca }),
    ...(tls?.client == null ? {} : { cert: tls.client.cert, key: tls.client.key.reveal() }),
    ...(tls?.client?.passphrase == null ? {} : { passphrase: tls.client.passphrase.reveal() }),
  };
}

/** Idle connections are closed before most servers close them, because a request on a closing connection would be lost. */
export const KEEP_ALIVE_MS = 4_000;
