import type { LookupFunction } from 'node:net';
import type { HttpResponse } from './http-response.js';
import type { Way } from './way.js';

/** One request, sent once. A redirect is an ordinary answer. */
export interface SocketRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
}

/** Connections that stay open between requests. */
export interface Sockets {
  /** Resolves when the head of the answer has arrived; otherwise throws the reason, with its cause. */
  send(request: SocketRequest): Promise<HttpResponse>;
  /** Resolves when all are closed; open requests finish first. */
  close(): Promise<void>;
}

export interface SocketOptions extends Partial<Pick<Way, 'tls' | 'proxy'>> {
  /** Maximum number of connections to one host; unlimited by default. */
  readonly connections?: number;
  /** Looks up host names; by default the system does. A proxy looks them up itself. */
  readonly lookup?: LookupFunction;
}
