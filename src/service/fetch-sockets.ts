import { openAgent, type Way } from '../base/http/open-agent.js';
import type { OpenSockets } from './sockets.js';

const DIRECT = { tls: null, proxy: null };

/** Sockets that `fetch` sends by. */
export function openFetchSockets(
  fetch: typeof globalThis.fetch,
  { tls, proxy }: Pick<Way, 'tls' | 'proxy'> = DIRECT,
): OpenSockets {
  return ({ to, ...options }) => {
    let opened: ReturnType<typeof openAgent> | null = null;
    // Loaded with the first call: it is the larger part of the client.
    const open = () => openAgent({ ...options, proxy, tls: to === 'service' ? tls : null });
    return {
      async send({ url, ...init }) {
        opened ??= open();
        // Node's own fetch types name an older undici; the dispatchers are compatible at run time.
        const dispatcher = (await opened) as unknown as NonNullable<RequestInit['dispatcher']>;
        return fetch(url, { ...init, redirect: 'manual', credentials: 'omit', dispatcher });
      },
      async close() {
        await (await opened)?.close();
      },
    };
  };
}
