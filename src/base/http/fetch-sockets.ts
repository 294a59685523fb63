import type { Agent } from 'undici';
import type { SocketOptions, Sockets } from './sockets.js';
import { KEEP_ALIVE_MS } from './way.js';

/** Sockets that use `fetch`, for users of the client library and for tests. They ignore the TLS and proxy settings. */
export function openFetchSockets(fetch: typeof globalThis.fetch) {
  return ({ connections, lookup }: SocketOptions): Sockets => {
    let opened: Promise<Agent> | null = null;
    // Loaded with the first call, because undici is the largest part of the client.
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
        // Node's own fetch types come from an older undici, but the dispatchers are compatible at run time.
        const dispatcher = (await opened) as unknown as NonNullable<RequestInit['dispatcher']>;
        return fetch(url, { ...init, redirect: 'manual', credentials: 'omit', dispatcher });
      },
      async close() {
        await (await opened)?.close();
      },
    };
  };
}
