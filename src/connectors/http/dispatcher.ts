import { openAgent, type Way } from '../../base/http/open-agent.js';

type Dispatcher = NonNullable<NonNullable<Parameters<typeof globalThis.fetch>[1]>['dispatcher']>;

/** The connections to one outside system: through its proxy, trusting its authority, showing its certificate. */
export function createDispatcher(way: Pick<Way, 'tls' | 'proxy'>): {
  readonly dispatcher: () => Promise<Dispatcher>;
  close(): Promise<void>;
} {
  let opened: ReturnType<typeof openAgent> | null = null;
  return {
    // Node's own fetch types name an older undici; the dispatchers are compatible at run time.
    async dispatcher() {
      opened ??= openAgent({ tls: way.tls, proxy: way.proxy });
      return (await opened) as unknown as Dispatcher;
    },
    async close() {
      await (await opened)?.close();
    },
  };
}
