import type { Agent } from 'undici';
import type { SocketOptions, Sockets } from './sockets.js';
import { KEEP_ALIVE_MS } from './way.js';

/** Sockets that send by `fetch`, for callers of the client and for tests. They ignore the settings for TLS and proxies. */
export function openFetchSockets(fetch: typeof globalThis.fetch) {
  return ({ connections, lookup }: SocketOptions): Sockets => {
    let opened: Promise<Agent> | null = null;
    // Loaded with the first call: it is the largest part of the client.
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
        // Node's own fetch types are from an older undici; the dispatchers are compatible at run time.
        const dispatcher = (await opened) as unknown as NonNullable<RequestInit['dispatcher']>;
        return fetch(url, { ...init, redirect: 'manual', credentials: 'omit', dispatcher });
      },
      async close() {
        await (await opened)?.close();
      },
    };
  };
}
