import type { LookupFunction } from 'node:net';
import type { HttpResponse } from './http-response.js';
import type { Way } from './way.js';

/** One request, sent once. Redirects are not followed. */
export interface SocketRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
}

/** Connections that stay open between requests. */
export interface Sockets {
  /** Resolves when the head of the answer has arrived. Otherwise rejects with the reason and its cause. */
  send(request: SocketRequest): Promise<HttpResponse>;
  /** Resolves when all connections are closed. Open requests finish first. */
  close(): Promise<void>;
}

export interface SocketOptions extends Partial<Pick<Way, 'tls' | 'proxy'>> {
  /** Maximum number of connections to one host; unlimited by default. */
  readonly connections?: number;
  /** Looks up host names; the system's lookup by default. A proxy looks up names itself. */
  readonly lookup?: LookupFunction;
}
