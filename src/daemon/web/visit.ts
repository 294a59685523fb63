import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request with received headers. None of its body has been read. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** True if the client waits to be asked for the body. */
  readonly isExpectant: boolean;
  /** Marks the connection as proven by a valid token, so that it is not closed to make room. */
  prove(): void;
}

/** Returns the path. Some proxies send the complete address (RFC 9112, 3.2.2). */
export function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/?#]*/i, '');
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

/** True if bytes of the request's body may still arrive. */
export function isUnread(request: IncomingMessage): boolean {
  return hasBody(request) && !request.complete;
}

/** How much of an unread body is discarded, and for how long, to let the client read the response. */
const LINGER_BYTES = 64 * 1024;
const LINGER_MS = 1_000;
const MOST_LINGERING = 64;
let lingering = 0;

/**
 * Responds without reading the rest of the body, and closes the connection, because its next bytes would not be a request.
 * A client that is still sending notices this only when it reads the response, so the server waits a moment before closing.
 */
export function answerUnread(
  { request, response, isExpectant }: Pick<Visit, 'request' | 'response' | 'isExpectant'>,
  status: number,
  text = '',
): void {
  response.setHeader('connection', 'close');
  const isOver = isExpectant || status === 408 || lingering >= MOST_LINGERING;
  if (isOver || !isUnread(request)) {
    response.writeHead(status, { 'content-length': Buffer.byteLength(text) }).end(text);
    return;
  }
  // Send the response now. The end of the response, which closes the connection, follows later.
  response.writeHead(status, { 'content-length': Buffer.byteLength(text) }).write(text);
  let left = LINGER_BYTES;
  lingering++;
  const timer = setTimeout(finish, LINGER_MS);
  function finish(): void {
    if (left === Number.NEGATIVE_INFINITY) return;
    left = Number.NEGATIVE_INFINITY;
    lingering--;
    clearTimeout(timer);
    response.end();
  }
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left <= 0) request.pause();
  });
  request.on('error', finish).once('end', finish);
  response.once('close', finish);
}
