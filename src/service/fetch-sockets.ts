import type { Agent } from 'undici';
import { KEEP_ALIVE_MS, type OpenSockets } from './sockets.js';

/** Sockets that `fetch` sends by. */
export function openFetchSockets(fetch: typeof globalThis.fetch): OpenSockets {
  return ({ connections, lookup }) => {
    let opened: Promise<Agent> | null = null;
    // Loaded with the first call: it is the larger part of the client.
    const open = async (): Promise<Agent> => {
      const { Agent } = await import('undici');
      const connect = lookup === undefined ? {} : { connect: { lookup } };
      return new Agent({ connections, keepAliveTimeout: KEEP_ALIVE_MS, pipelining: 1, ...connect });
    };
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
