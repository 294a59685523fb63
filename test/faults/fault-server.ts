import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { closeAfterTest } from '../closing.js';
import type { CallFault, Honest } from './call-faults.js';
import { makeExpiredCertificate } from './expired-certificate.js';

export interface FaultServer {
  readonly url: string;
  /** The received requests. */
  readonly requests: readonly string[];
  close(): void;
}

/** The test closes it at the end, if nobody does earlier. */
async function listen(
  server: Server,
  scheme: 'http' | 'https',
): Promise<FaultServer & { readonly requests: string[] }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: [], close };
}

/** The target of redirects: a request that arrives here was sent too far. */
export async function openElsewhere(): Promise<FaultServer> {
  const requests: string[] = [];
  const opened = await listen(
    createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
    }),
    'http',
  );
  closeAfterTest(opened);
  return { ...opened, requests };
}

/** A server with an expired certificate. This process trusts it until the test ends, except for the date. */
export async function openExpired(): Promise<FaultServer> {
  const { cert, key } = makeExpiredCertificate();
  const requests: string[] = [];
  const opened = await listen(
    createTlsServer({ cert, key }, (request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.end('{}');
    }) as unknown as Server,
    'https',
  );
  const { createSecureContext } = tls;
  tls.createSecureContext = (options) => createSecureContext({ ...options, ca: cert });
  closeAfterTest({
    close() {
      tls.createSecureContext = createSecureContext;
      opened.close();
    },
  });
  return { ...opened, requests };
}

/** A system that answers honestly, except for the calls that `meets` chooses. */
export async function openFaulty(
  { answer }: CallFault,
  elsewhere: string,
  {
    be,
    meets,
  }: { readonly be: (request: IncomingMessage) => Honest; readonly meets: (request: IncomingMessage) => boolean },
): Promise<FaultServer> {
  const requests: string[] = [];
  const serve: RequestListener = (request, response) => {
    request.resume();
    request.on('end', () => {
      requests.push(`${request.method} ${request.url}`);
      const honest = be(request);
      if (answer === null || !meets(request)) response.writeHead(honest.status, honest.headers).end(honest.text);
      else answer({ request, response, honest, elsewhere });
    });
  };
  return { ...(await listen(createServer(serve), 'http')), requests };
}
