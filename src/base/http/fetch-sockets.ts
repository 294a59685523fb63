import type { Agent } from 'undici';
import type { SocketOptions, Sockets } from './sockets.js';
import { KEEP_ALIVE_MS } from './way.js';

/** Sockets that a `fetch` sends by, which callers of the client and tests put in place of Node's own HTTP client: it finds its way itself. */
export function openFetchSockets(fetch: typeof globalThis.fetch) {
  return ({ connections, lookup }: SocketOptions): Sockets => {
    let opened: Promise<Agent> | null = null;
    // Loaded with the first call: it is the larger part of the client.
    const open = async (): Promise<Agent> => {
      const undici = await import('undici');
      const pool = {
        keepAliveTimeout: KEEP_ALIVE_MS,
        pipelining: 1,
        ...(connections !== undefined && { connections }),
      };
      return new undici.Agent({ ...pool, ...(lookup !== undefined && { connect: { lookup } }) });
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
