import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { Secret } from '../../../src/base/secrets/secret.js';
import type { NotifyAddress } from '../../../src/config/resolve-notify.js';
import { type HttpSent, sendHttp } from '../../../src/operations/notify/send-http.js';
import { makeCertificates } from '../../connectors/http/certificates.js';
import { sweep } from '../../depth.js';
import { listenOnLoopback } from '../../loopback.js';
import { makeFolder } from '../../samples.js';

function send(
  url: string,
  more: Partial<NotifyAddress> = {},
  signal = new AbortController().signal,
): Promise<HttpSent> {
  const address = { url, isPrivateAllowed: true, proxy: null, timeoutMs: 2_000, ...more };
  return sendHttp({ address, method: 'POST', headers: {}, body: '{}', signal });
}

test('takes a redirect as an answer, and reads only the beginning of a long one', async () => {
  const asked: string[] = [];
  const url = await listenOnLoopback(
    createServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/moved') response.writeHead(302, { location: '/other' }).end();
      else if (request.url === '/busy') response.writeHead(429, { 'retry-after': '120' }).end();
      else response.end('x'.repeat(5_000_000));
    }),
  );
  expect(await send(`${url}/moved`)).toMatchObject({ status: 302 });
  expect(await send(`${url}/busy`)).toMatchObject({ status: 429, retryAfterMs: 120_000 });
  expect((await send(`${url}/long`)).beginning).toHaveLength(2_048);
  expect(asked).toEqual(['/moved', '/busy', '/long']);
});

test.each([
  ['http://127.0.0.1:9/', { isPrivateAllowed: false }, 'not public'],
  ['https://localhost:9/', { isPrivateAllowed: false }, 'not public'],
  ['http://hooks.example.com/', { isPrivateAllowed: false }, 'not encrypted'],
  ['http://169.254.169.254/latest', {}, 'link-local'],
  ['http://[fe80::1]/', {}, 'link-local'],
  ['http://[::ffff:169.254.169.254]/', {}, 'link-local'],
  ['nonsense', {}, 'not valid'],
])('does not call %s', async (url, more, because) => {
  await expect(send(url, more)).rejects.toThrow(because);
});

test('reports a silent or missing server in its own words', async () => {
  const url = await listenOnLoopback(createServer(() => undefined));
  await expect(send(`${url}/token-in-the-path`, { timeoutMs: 50 })).rejects.toThrow(/^no answer within 0.05 s$/);
  await expect(send('http://127.0.0.1:1/token-in-the-path')).rejects.toThrow(/^not reached \(ECONNREFUSED\)$/);
  const stop = new AbortController();
  const stopped = send(url, {}, stop.signal);
  stop.abort();
  await expect(stopped).rejects.toThrow(/^stopped$/);
});

describe('through a proxy', () => {
  interface Opened {
    readonly address: Partial<NotifyAddress>;
    /** The requests to the proxy, with their credentials. */
    readonly asked: readonly string[];
    readonly tunnels: ReadonlySet<Socket>;
    readonly received: readonly string[];
  }

  /** A proxy that accepts `u` and resolves every name to loopback, and an encrypted receiver. */
  async function open(): Promise<Opened> {
    const { server } = makeCertificates(makeFolder());
    const received: string[] = [];
    const receiver = createTlsServer(server, (request, response) => {
      received.push(`${request.method} ${request.headers.host}${request.url}`);
      response.end('taken');
    });
    await listenOnLoopback(receiver);
    const { port } = receiver.address() as AddressInfo;
    const asked: string[] = [];
    const tunnels = new Set<Socket>();
    const proxy = createServer().on('connect', (request, socket: Socket) => {
      const login = request.headers['proxy-authorization'] ?? 'nobody';
      asked.push(`${request.url} ${login}`);
      if (login !== 'Basic dTpw') return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      tunnels.add(socket);
      socket.once('close', () => tunnels.delete(socket));
      const onward = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        socket.pipe(onward).pipe(socket);
        onward.once('close', () => socket.destroy());
      });
    });
    const login = { username: 'u', password: new Secret('p') };
    const address = { isPrivateAllowed: false, proxy: { url: await listenOnLoopback(proxy), login } };
    return { address, asked, tunnels, received };
  }

  const HOOK = 'https://hooks.example.com/token-in-the-path';

  test('reaches a receiver by a tunnel, checks its certificate, and ends the tunnel after the answer', async () => {
    const { address, asked, tunnels, received } = await open();
    await expect(send(HOOK, address)).rejects.toThrow(/^not reached \(UNABLE_TO_\w+|not reached \(\w*CERT\w*\)$/);
    expect(received).toEqual([]);
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    try {
      expect(await send(HOOK, address)).toMatchObject({ status: 200, beginning: 'taken' });
    } finally {
      vi.unstubAllEnvs();
    }
    expect(received).toEqual(['POST hooks.example.com/token-in-the-path']);
    expect(asked).toEqual(['hooks.example.com:443 Basic dTpw', 'hooks.example.com:443 Basic dTpw']);
    await expect.poll(() => tunnels.size).toBe(0);
  });

  sweep('reports a rejecting, missing or silent proxy in its own words', async () => {
    const { address, received } = await open();
    const url = address.proxy?.url ?? '';
    const without = { ...address, proxy: { url, login: null } };
    await expect(send(HOOK, without)).rejects.toThrow(/^the proxy answered 407$/);
    const gone = { ...address, proxy: { url: 'http://127.0.0.1:1', login: null } };
    await expect(send(HOOK, gone)).rejects.toThrow(/^the proxy cannot be reached \(ECONNREFUSED\)$/);
    const silent = await listenOnLoopback(
      createServer().on('connect', (_, socket: Socket) => socket.once('end', () => socket.end()).resume()),
    );
    const late = { ...address, timeoutMs: 50, proxy: { url: silent, login: null } };
    await expect(send(HOOK, late)).rejects.toThrow(/^no answer within 0.05 s$/);
    await expect(send('https://169.254.169.254/', address)).rejects.toThrow('link-local');
    expect(received).toEqual([]);
  });
});
