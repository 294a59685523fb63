import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFetchSockets } from '../../../src/base/http/fetch-sockets.js';
import type { HttpResponse } from '../../../src/base/http/http-response.js';
import { openHttpSockets } from '../../../src/base/http/http-sockets.js';
import type { SocketOptions, SocketRequest, Sockets } from '../../../src/base/http/sockets.js';
import { Secret } from '../../../src/base/secrets/secret.js';
import { makeCertificates } from '../../connectors/http/certificates.js';
import { openProxy } from '../../connectors/http/open-proxy.js';
import { listenOnLoopback } from '../../loopback.js';
import { makeFolder } from '../../samples.js';

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let connections: number;
let respond: Respond;
let url: string;

beforeEach(async () => {
  connections = 0;
  server = createServer((request, response) => respond(request, response));
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function readBody({ body }: HttpResponse): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const reader = body?.getReader();
  for (;;) {
    const chunk = await reader?.read();
    if (chunk?.value === undefined) return Buffer.concat(chunks);
    chunks.push(chunk.value);
  }
}

const ask = (request: Partial<SocketRequest> = {}): SocketRequest => ({
  method: 'GET',
  url,
  headers: {},
  signal: new AbortController().signal,
  ...request,
});

const KINDS: readonly { readonly by: string; readonly open: (options: SocketOptions) => Sockets }[] = [
  { by: 'fetch', open: openFetchSockets(globalThis.fetch) },
  { by: 'node:http', open: openHttpSockets },
];

describe.each(KINDS)('sockets of $by', ({ open }) => {
  let sockets: Sockets;
  beforeEach(() => {
    sockets = open({ connections: 2 });
  });
  afterEach(() => sockets.close());

  it('stay within their limit, and are reused', async () => {
    respond = (_, response) => void setTimeout(() => response.end('{}'), 5);
    await Promise.all(Array.from({ length: 10 }, async () => readBody(await sockets.send(ask()))));
    await readBody(await sockets.send(ask()));
    expect(connections).toBe(2);
  });

  it('send a body unchanged with its length, for any method', async () => {
    const seen: unknown[] = [];
    respond = async (request, response) => {
      const { 'content-length': length, 'content-type': type } = request.headers;
      seen.push([request.method, length, type, await text(request)]);
      response.end();
    };
    const json = { 'content-type': 'application/json' };
    for (const request of [
      { method: 'POST', body: '{"name":"Åse"}', headers: json },
      { method: 'PUT', body: Buffer.from('a,b\n'), headers: { 'content-type': 'text/csv' } },
      { method: 'DELETE', body: '[1]', headers: json },
      { method: 'POST' },
      { method: 'GET' },
    ] as const) {
      expect(await readBody(await sockets.send(ask(request)))).toHaveLength(0);
    }
    expect(seen).toEqual([
      ['POST', '15', 'application/json', '{"name":"Åse"}'],
      ['PUT', '4', 'text/csv', 'a,b\n'],
      ['DELETE', '3', 'application/json', '[1]'],
      ['POST', '0', undefined, ''],
      ['GET', undefined, undefined, ''],
    ]);
  });

  const long = 'Ærlig talt. '.repeat(20_000);
  it.each([
    ['gzip', gzipSync(long)],
    ['x-gzip', gzipSync(long)],
    ['deflate', deflateSync(long)],
    ['br', brotliCompressSync(long)],
    ['deflate, gzip', gzipSync(deflateSync(long))],
    // Some servers omit the end of the stream.
    ['gzip', gzipSync(long).subarray(0, -8)],
  ])('read %s', async (encoding, bytes) => {
    respond = (_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(bytes);
    const answer = await sockets.send(ask());
    expect(answer.headers.get('content-encoding')).toBe(encoding);
    expect((await readBody(answer)).toString()).toBe(long);
  });

  it('leave an unknown encoding unchanged', async () => {
    respond = (_, response) => void response.writeHead(200, { 'content-encoding': 'rot13, gzip' }).end('Åfr');
    expect((await readBody(await sockets.send(ask()))).toString()).toBe('Åfr');
  });

  it('fail on a false encoding, and continue with the next call', async () => {
    respond = (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('no such thing');
    const answer = await sockets.send(ask());
    await expect(readBody(answer)).rejects.toThrow();
    respond = (_, response) => void response.writeHead(204, { 'content-encoding': 'gzip' }).end();
    expect(await readBody(await sockets.send(ask()))).toHaveLength(0);
  });

  it('do not follow redirects', async () => {
    respond = (_, response) => void response.writeHead(302, { location: '/elsewhere' }).end('there');
    const { status, headers, body } = await sockets.send(ask());
    await body?.cancel();
    expect([status, headers.get('location'), headers.has('date'), headers.get('etag')]).toEqual([
      302,
      '/elsewhere',
      true,
      null,
    ]);
  });

  it('finish calls in flight before they close', async () => {
    respond = (_, response) => void setTimeout(() => response.end('late'), 50);
    const others = open({ connections: 1 });
    const call = others.send(ask()).then(readBody);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await others.close();
    expect((await call).toString()).toBe('late');
  });

  it('trust no authority unknown to the machine', async () => {
    const { server: own } = makeCertificates(makeFolder());
    const strange = createTlsServer(own, (_, response) => response.end('{}'));
    await new Promise<void>((resolve) => strange.listen(0, '127.0.0.1', resolve));
    const { port } = strange.address() as AddressInfo;
    const error: unknown = await sockets.send(ask({ url: `https://127.0.0.1:${port}/` })).catch((thrown) => thrown);
    expect(String((error as Error).cause ?? error)).toMatch(/certificate/);
    await new Promise((resolve) => strange.close(resolve));
  });
});

describe('sockets of node:http', () => {
  it('stop waiting for a connection, and report that there was none', async () => {
    const sockets = openHttpSockets({ connections: 1, connectMs: 50, lookup: () => undefined });
    const call = sockets.send(ask({ url: 'http://nowhere.example.com/' }));
    await expect(call).rejects.toMatchObject({ code: 'CONNECT_TIMEOUT' });
    await sockets.close();
  });

  it('share one tunnel of a proxy, and give up on a silent proxy', async () => {
    const proxy = await openProxy();
    const by = openHttpSockets({ proxy: { url: proxy.url, login: null } });
    respond = (_, response) => void response.end('{}');
    for (let calls = 0; calls < 2; calls++) await readBody(await by.send(ask()));
    expect(proxy.logins).toEqual([undefined]);
    await by.close();
    proxy.server.close();
    const silent = createServer().on('connect', (_, socket) => socket.once('end', () => socket.end()).resume());
    const gone = { url: await listenOnLoopback(silent), login: null };
    const late = openHttpSockets({ proxy: gone, connectMs: 50 });
    await expect(late.send(ask())).rejects.toMatchObject({ cause: { code: 'CONNECT_TIMEOUT' } });
    const stopped = openHttpSockets({ proxy: gone });
    await expect(stopped.send(ask({ signal: AbortSignal.timeout(50) }))).rejects.toMatchObject({ name: 'AbortError' });
    await Promise.all([late.close(), stopped.close()]);
  });

  it('fail if the client certificate is unreadable, also through a proxy', async () => {
    const proxy = await openProxy();
    const client = { cert: 'none', key: new Secret('none'), passphrase: null };
    for (const way of [{}, { proxy: { url: proxy.url, login: null } }]) {
      const sockets = openHttpSockets({ tls: { ca: null, client }, ...way });
      const call = async () => sockets.send(ask({ url: url.replace('http:', 'https:') }));
      await expect(call()).rejects.toThrow();
    }
    proxy.server.closeAllConnections();
    proxy.server.close();
  });

  it('do not reuse a connection that the server is about to close', async () => {
    const sockets = openHttpSockets({ connections: 1 });
    for (const [hint, opened] of [
      ['timeout=4', 1],
      ['timeout=5', 2],
      ['timeout=60, max=100', 2],
    ] as const) {
      respond = (_, response) => void response.writeHead(200, { 'keep-alive': hint }).end('{}');
      await readBody(await sockets.send(ask()));
      expect(connections).toBe(opened);
    }
    await sockets.close();
  });
});
