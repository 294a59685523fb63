import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import type { NotifyAddress } from '../../src/config/resolve-notify.js';
import { type HttpSent, sendHttp } from '../../src/notify/send-http.js';
import { listenOnLoopback } from '../loopback.js';

function send(
  url: string,
  more: Partial<NotifyAddress> = {},
  signal = new AbortController().signal,
): Promise<HttpSent> {
  const address = { url, isPrivateAllowed: true, timeoutMs: 2_000, ...more };
  return sendHttp({ address, method: 'POST', headers: {}, body: '{}', signal });
}

test('a redirect is an answer, and nothing of a long answer but its beginning is read', async () => {
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
  ['nonsense', {}, 'no address'],
])('%s is not reached', async (url, more, because) => {
  await expect(send(url, more)).rejects.toThrow(because);
});

test('a server that does not answer, or is not there, is a failure in our own words', async () => {
  const url = await listenOnLoopback(createServer(() => undefined));
  await expect(send(`${url}/token-in-the-path`, { timeoutMs: 50 })).rejects.toThrow(/^no answer within 0.05 s$/);
  await expect(send('http://127.0.0.1:1/token-in-the-path')).rejects.toThrow(/^not reached \(ECONNREFUSED\)$/);
  const stop = new AbortController();
  const stopped = send(url, {}, stop.signal);
  stop.abort();
  await expect(stopped).rejects.toThrow(/^stopped$/);
});
