import type { Agent, ProxyAgent } from 'undici';
import { encodeBasic } from '../../secrets/encode-basic.js';
import type { HttpAccess } from './resolve-http.js';

type Dispatcher = NonNullable<NonNullable<Parameters<typeof globalThis.fetch>[1]>['dispatcher']>;

/** Idle connections are given up before usual servers do so: a request sent into a closing one would be lost. */
const KEEP_ALIVE_MS = 4_000;

/** The connections to one outside system: through its proxy, trusting its authority, showing its certificate. */
export function createDispatcher(access: HttpAccess): {
  readonly dispatcher: () => Promise<Dispatcher>;
  close(): Promise<void>;
} {
  let opened: ReturnType<typeof openAgent> | null = null;
  return {
    // Node's own fetch types name an older undici; the dispatchers are compatible at run time.
    async dispatcher() {
      opened ??= openAgent(access);
      return (await opened) as unknown as Dispatcher;
    },
    async close() {
      await (await opened)?.close();
    },
  };
}

/** Its package is loaded with the first call: most runs read files alone. */
async function openAgent({ tls, proxy }: HttpAccess): Promise<Agent | ProxyAgent> {
  const { Agent, ProxyAgent } = await import('undici');
  const connect = {
    ...(tls?.ca == null ? {} : { ca: tls.ca }),
    ...(tls?.client == null ? {} : { cert: tls.client.cert, key: tls.client.key.reveal() }),
    ...(tls?.client?.passphrase == null ? {} : { passphrase: tls.client.passphrase.reveal() }),
  };
  if (proxy === null) return new Agent({ connect, keepAliveTimeout: KEEP_ALIVE_MS });
  return new ProxyAgent({
    uri: proxy.url,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTls: connect,
    ...(proxy.login === null ? {} : { token: encodeBasic(proxy.login.username, proxy.login.password) }),
  });
}
