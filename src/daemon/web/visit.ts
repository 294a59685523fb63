import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request whose headers are here, and nothing of its body. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** The client waits to be asked for the body. */
  readonly isExpectant: boolean;
  /** It showed a right token: its connection need make room for nobody. */
  prove(): void;
}

/** A proxy may send the whole address (RFC 9112, 3.2.2). */
export function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/?#]*/i, '');
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

/** Whether bytes of its body may still come. */
export function isUnread(request: IncomingMessage): boolean {
  return hasBody(request) && !request.complete;
}

/** What is thrown away of a body that is not read, and how long, so that the client gets to read the answer. */
const LINGER_BYTES = 64 * 1024;
const LINGER_MS = 1_000;
const MOST_LINGERING = 64;
let lingering = 0;

/**
 * Answers, and reads the body no more: the connection ends with it, as its next bytes would not be a request. A client
 * that is still sending hears of that only when it looks for an answer, so the end waits a moment for it.
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
  // All of it leaves now; the end of it, with which the connection closes, comes later.
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
