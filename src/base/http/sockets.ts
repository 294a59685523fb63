import type { LookupFunction } from 'node:net';
import type { HttpResponse } from './http-response.js';
import type { Way } from './way.js';

/** One request, sent once. A redirect is an answer like any other. */
export interface SocketRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
}

/** Connections that stay open from one request to the next. */
export interface Sockets {
  /** Resolves when the head of the answer is here; throws what kept it from coming, with what is behind it as its cause. */
  send(request: SocketRequest): Promise<HttpResponse>;
  /** Resolves when all are closed; what is under way is finished first. */
  close(): Promise<void>;
}

export interface SocketOptions extends Partial<Pick<Way, 'tls' | 'proxy'>> {
  /** To one host; any number unless given. */
  readonly connections?: number;
  /** How names are looked up; by the system unless given. A proxy looks them up itself. */
  readonly lookup?: LookupFunction;
}
