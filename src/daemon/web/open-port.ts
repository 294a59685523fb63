import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SyncError } from '../../base/errors.js';
import { Connections } from './connections.js';
import { answerUnread, type Visit } from './visit.js';

/** Time for the headers of a request to arrive. After that, the connection is closed. */
const HEADERS_MS = 10_000;
const CHECK_MS = 500;
/** Closes a connection without traffic while a response is pending or unread. */
const SILENT_MS = 60_000;
/** Longer than the idle timeout of proxies, so that the proxy closes an idle connection first. */
const IDLE_MS = 72_000;
const LARGEST_HEADERS = 16 * 1024;

export interface PortOptions {
  readonly host: string;
  /** Port to listen on; 0 takes any free port. */
  readonly port: number;
  /** True for an address shared by many clients, which may open many connections. */
  readonly isProxy: (address: string) => boolean;
  readonly serve: (visit: Visit) => Promise<void>;
}

export interface Port {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Opens a port that anyone may reach. The port limits connections and times out slow headers. No bytes of a body are
 * requested or kept before `serve` asks for them.
 *
 * @throws SyncError SYNC_WEB_LISTEN if the port cannot be opened
 */
export async function openPort({ host, port, isProxy, serve }: PortOptions): Promise<Port> {
  const connections = new Connections(isProxy);
  const visits = new Visits(connections, serve);
  const server = createServer({
    headersTimeout: HEADERS_MS,
    // Bodies have separate limits per sender.
    requestTimeout: 0,
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: IDLE_MS,
    maxHeaderSize: LARGEST_HEADERS,
  });
  server.timeout = SILENT_MS;
  server.on('connection', (socket) => connections.admit(socket));
  server.on('request', (request, response) => visits.begin(request, response, false));
  server.on('checkContinue', (request, response) => visits.begin(request, response, true));
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    answerUnread({ request, response, isExpectant: true }, 417),
  );
  server.on('clientError', (error, socket) => visits.refuse(error, socket as Socket));

  await new Promise<void>((resolve, reject) => {
    server.on('error', (error) => reject(portError(error, host, port)));
    server.listen({ host, port }, resolve);
  });
  return {
    url: describeAddress(server.address()),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The requests of all connections. Each connection has one request at a time. */
class Visits {
  private readonly answers = new WeakMap<Socket, ServerResponse>();

  constructor(
    private readonly connections: Connections,
    private readonly serve: PortOptions['serve'],
  ) {}

  begin(request: IncomingMessage, response: ServerResponse, isExpectant: boolean): void {
    const { socket } = request;
    const before = this.answers.get(socket);
    if (before === undefined) this.open(request, response, isExpectant);
    // The client sent this request before the previous response. One request may wait; a client that sends more is
    // disconnected.
    else if (before.listenerCount('answered') > 0) socket.destroy();
    else
      before.once('answered', () => {
        if (!socket.destroyed) this.open(request, response, isExpectant);
      });
  }

  private open(request: IncomingMessage, response: ServerResponse, isExpectant: boolean): void {
    const { socket } = request;
    const gone = new AbortController();
    this.answers.set(socket, response);
    response.once('close', () => {
      this.answers.delete(socket);
      gone.abort();
      response.emit('answered');
    });
    // A connection without a valid token ends with its response. If it stayed open, it might be closed to make room while
    // the next request is already under way.
    const { shouldKeepAlive } = response;
    response.shouldKeepAlive = false;
    const prove = (): void => {
      this.connections.prove(socket);
      response.shouldKeepAlive = shouldKeepAlive;
    };
    this.serve({ request, response, signal: gone.signal, isExpectant, prove }).catch(() => socket.destroy());
  }

  /** Answers bytes that are not a valid request. */
  refuse({ code }: NodeJS.ErrnoException, socket: Socket): void {
    // In the middle of a response, the client would take these bytes for a part of the response.
    if (!socket.writable || this.answers.has(socket)) socket.destroy();
    else
      socket.end(`HTTP/1.1 ${nameFault(code)}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
        socket.destroy(),
      );
  }
}

function nameFault(code: string | undefined): string {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return '408 Request Timeout';
  return code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
}

function portError(error: Error, host: string, port: number): SyncError {
  return new SyncError('SYNC_WEB_LISTEN', {
    message: `The port cannot be opened: ${error.message}`,
    place: `${host}:${port}`,
    remedy: 'Name a free port with --port, and an address of this machine with --host.',
    cause: error,
  });
}

const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The address of the server; the loopback address if the server listens on all. */
function describeAddress(address: ReturnType<ReturnType<typeof createServer>['address']>): string {
  if (address === null || typeof address === 'string') return '';
  const { address: ip, family, port } = address;
  const near = LOOPBACK[ip] ?? ip;
  return `http://${family === 'IPv6' ? `[${near}]` : near}:${port}`;
}
