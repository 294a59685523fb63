import { Agent, ProxyAgent } from 'undici';
import { encodeBasic } from './credentials.js';
import type { HttpAccess } from './resolve-http.js';

type Dispatcher = NonNullable<NonNullable<Parameters<typeof globalThis.fetch>[1]>['dispatcher']>;

/** Idle connections are given up before usual servers do so: a request sent into a closing one would be lost. */
const KEEP_ALIVE_MS = 4_000;

/** The connections to one outside system: through its proxy, trusting its authority, showing its certificate. */
export function createDispatcher({ tls, proxy }: HttpAccess): {
  readonly dispatcher: Dispatcher;
  close(): Promise<void>;
} {
  const connect = {
    ...(tls?.ca == null ? {} : { ca: tls.ca }),
    ...(tls?.client == null ? {} : { cert: tls.client.cert, key: tls.client.key.reveal() }),
    ...(tls?.client?.passphrase == null ? {} : { passphrase: tls.client.passphrase.reveal() }),
  };
  const agent =
    proxy === null
      ? new Agent({ connect, keepAliveTimeout: KEEP_ALIVE_MS })
      : new ProxyAgent({
          uri: proxy.url,
          keepAliveTimeout: KEEP_ALIVE_MS,
          requestTls: connect,
          ...(proxy.login === null ? {} : { token: encodeBasic(proxy.login.username, proxy.login.password) }),
        });
  // Node's own fetch types name an older undici; the dispatchers are compatible at run time.
  return { dispatcher: agent as unknown as Dispatcher, close: () => agent.close() };
}
