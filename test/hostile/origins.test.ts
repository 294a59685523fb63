import { describe, expect, test } from 'vitest';
import { SyncError } from '../../src/base/errors.js';
import { ENDPOINTS } from '../../src/service/endpoints.js';
import { ServiceError } from '../../src/service/service-error.js';
import { createTransport, type TransportOptions } from '../../src/service/transport.js';
import { closeAfterTest } from '../closing.js';
import { oneIn } from '../depth.js';
import { LOGINS, listen, openSource, SOURCES, sendPage, TOKEN } from './every-source.js';

/**
 * Ways in which a page may try to lead to another server. `E` is the port of a stranger, `H` that of the honest system;
 * both are on
 * 127.0.0.1.
 */
const LINKS = [
  'http://127.0.0.1:E/next',
  '//127.0.0.1:E/next',
  '/\\127.0.0.1:E/next',
  '\\\\127.0.0.1:E\\next',
  'http:\\\\127.0.0.1:E/next',
  'http://127.0.0.1:H@127.0.0.1:E/next',
  'http://127.0.0.1:H\\@127.0.0.1:E/next',
  'http://user:password@127.0.0.1:H/next',
  'https://127.0.0.1:H/next',
  'http://localhost:H/next',
  'http://127.0.0.1/next',
  'http://\uFF11\uFF12\uFF17.0.0.1:E/next',
  'http://127.0.0.1\u200B:E/next',
  'http://xn--127-wmd.0.0.1.example.com/next',
  'ht\ttp://127.0.0.1:E/next',
  ' http://127.0.0.1:E/next',
  'http:127.0.0.1:E/next',
  'ftp://127.0.0.1:E/next',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:application/json,{}',
];

/** Sources that follow links from page to page. Others take the link for a token, or ignore it. */
const isLed = (name: string): boolean => /by (link|header)|salesforce|dynamics/.test(name);

describe.each(oneIn(1, SOURCES))('%s', (name, build) => {
  test('follows no next page to another origin', async () => {
    const stranger = await listen((_, response) => void response.end('{}'));
    let [link, pages] = ['', 0];
    const honest = await listen((_, response) => sendPage(response, link, String(++pages)));
    const connectors = await openSource(build, honest.url);
    for (const written of isLed(name) ? LINKS : LINKS.slice(0, 1)) {
      link = written.replace(':E', `:${stranger.port}`).replace(':H', `:${honest.port}`);
      for (const connector of connectors) {
        const before = honest.requests.length;
        const end = await readEnd(
          connector.read(() => undefined),
          () => honest.requests.length > before + 30,
        );
        // A header cannot carry every link; then the answer has none.
        const refused = name.includes('header') && !/^[\x21-\x7e]+$/.test(written) ? 'not whole' : 'SYNC_SOURCE_FORMAT';
        if (isLed(name)) expect({ written, end }).toEqual({ written, end: refused });
        if (isLed(name)) expect(honest.requests.slice(before).filter(({ url }) => url?.includes('next'))).toEqual([]);
      }
    }
    expect(stranger.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([]);
  });

  test.each(oneIn(1, Object.keys(LOGINS) as (keyof typeof LOGINS)[]))(
    'follows no redirect, logged in by %s',
    async (login) => {
      const stranger = await listen((__, response) => void response.end('{"access_token":"x"}'));
      let status = 301;
      const honest = await listen((__, response) => {
        response.writeHead(status, { location: `${stranger.url}/login` }).end();
      });
      const connectors = await openSource(build, honest.url, login);
      for (status of [301, 302, 303, 307, 308]) {
        for (const connector of connectors) {
          const error: unknown = await connector.read(() => undefined).catch((reason: unknown) => reason);
          expect(error).toBeInstanceOf(SyncError);
          expect(JSON.stringify(error)).not.toContain(TOKEN);
        }
      }
      expect(honest.requests.length).toBeGreaterThan(0);
      expect(stranger.requests).toEqual([]);
    },
  );
});

/** A source that pages by tokens would continue for 10,000 pages, so the read may end once it has read enough. */
async function readEnd(read: Promise<{ readonly complete: boolean }>, isEnough: () => boolean): Promise<string> {
  const enough = new Promise<string>((resolve) => {
    const timer = setInterval(() => {
      if (!isEnough()) return;
      clearInterval(timer);
      resolve('went on');
    }, 5);
    closeAfterTest({ close: () => clearInterval(timer) });
  });
  const ended = read.then(
    ({ complete }) => (complete ? 'whole' : 'not whole'),
    (error: unknown) => (error instanceof SyncError ? error.code : 'thrown'),
  );
  return Promise.race([ended, enough]);
}

describe('links of the same origin', () => {
  test.each(
    oneIn(
      1 / 2,
      SOURCES.filter(([name]) => isLed(name)),
    ),
  )('are followed: %s', async (_, build) => {
    for (const link of ['/next', 'http://127.0.0.1:H/next', 'HTTP://127.0.0.1:H/a/../next', '?next']) {
      const honest = await listen((request, response) => {
        const real = link.replace(':H', `:${honest.port}`);
        sendPage(response, request.url?.includes('next') === true ? '' : real, String(honest.requests.length));
      });
      for (const connector of await openSource(build, honest.url))
        await connector.read(() => undefined).catch(() => undefined);
      expect(honest.requests.filter(({ url }) => url?.includes('next') === true).length).toBeGreaterThan(0);
    }
  });
});

function openTransport(options: Partial<TransportOptions> = {}) {
  const transport = createTransport({
    baseUrl: 'https://acme.example.com',
    apiKey: TOKEN,
    timeoutMs: 5_000,
    connections: 2,
    ...options,
  });
  closeAfterTest(transport);
  return transport;
}

async function catchService(work: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  if (error instanceof ServiceError) return error;
  throw new Error(`expected a ServiceError, got ${String(error)}`);
}

test.each(oneIn(2, [301, 302, 303, 307, 308]))('the service: follows no redirect %d with any call', async (status) => {
  const stranger = await listen((_, response) => void response.end('{}'));
  const honest = await listen((_, response) => {
    response.writeHead(status, { location: `${stranger.url}/login` }).end();
  });
  const transport = openTransport({ baseUrl: honest.url });
  for (const { method, path } of Object.values(ENDPOINTS)) {
    const request = { method, path, query: '', ...(method === 'GET' ? {} : { body: { a: 1 } }) };
    for (const send of [transport.send, transport.open]) {
      expect((await catchService(send(request))).code).toBe('SYNC_SERVICE_ANSWER');
    }
  }
  expect(stranger.requests).toEqual([]);
});

describe('signed links', () => {
  /** The addresses of each name. `P` is the port of a server on this machine that must not be reached. */
  const NAMES: Readonly<Record<string, readonly string[]>> = {
    'acme.example.com': ['203.0.113.10'],
    'private.example.com': ['10.1.2.3'],
    'rebound.example.com': ['127.0.0.1'],
    'mixed.example.com': ['203.0.113.11', '192.168.1.1'],
    'mapped.example.com': ['::ffff:127.0.0.1'],
    'metadata.example.com': ['169.254.169.254'],
    localhost: ['127.0.0.1', '::1'],
  };
  const resolve = async (name: string) =>
    (NAMES[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

  const BAD = [
    'http://files.example.com/report',
    'ftp://files.example.com/report',
    'https://user:password@files.example.com/report',
    ...['127.0.0.1', '10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '0.0.0.0', '100.64.0.1'].map(
      (host) => `https://${host}:P/report`,
    ),
    ...['2130706433', '0x7f000001', '0177.0.0.1', '0x7f.1', '127.1', '017700000001', '127.0.0.1.'].map(
      (host) => `https://${host}:P/report`,
    ),
    ...['::1', '::', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', 'fe80::1', 'fd00::1', 'fc00::1'].map(
      (host) => `https://[${host}]:P/report`,
    ),
    ...['64:ff9b::7f00:1', '2002:7f00:1::', '2002:a00:1::1', 'ff02::1', '0:0:0:0:0:ffff:a00:1'].map(
      (host) => `https://[${host}]:P/report`,
    ),
    ...Object.keys(NAMES)
      .filter((name) => name !== 'acme.example.com')
      .map((name) => `https://${name}:P/report`),
    'http://127.0.0.1:P/report',
    'http://localhost:P/report',
  ];

  test.each(oneIn(1, BAD))('of a public service do not lead to %s', async (link) => {
    const here = await listen((_, response) => void response.end('secret'));
    const url = new URL(link.replace(':P', `:${here.port}`));
    expect((await catchService(openTransport({ resolve }).openLink(url))).code).toBe('SYNC_SERVICE_LINK');
    expect(here.requests).toEqual([]);
  });

  test.each(oneIn(1, BAD, 1))('of a public service are not redirected to %s', async (link) => {
    const here = await listen((_, response) => void response.end('secret'));
    const location = link.replace(':P', `:${here.port}`);
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      asked.push(String(input));
      return asked.length === 1
        ? Promise.resolve(new Response(null, { status: 302, headers: { location } }))
        : globalThis.fetch(input, init);
    };
    const opened = openTransport({ resolve, fetch }).openLink(new URL('https://files.example.com/report'));
    expect((await catchService(opened)).code).toBe('SYNC_SERVICE_LINK');
    expect(here.requests).toEqual([]);
  });

  test('of a service on this machine lead to this machine, even over a redirect, without any credentials', async () => {
    const files = await listen((request, response) => {
      if (request.url === '/old') response.writeHead(302, { location: '/report?s=1', 'set-cookie': 'a=b' }).end();
      else response.end('the report');
    });
    const transport = openTransport({ baseUrl: 'http://127.0.0.1:1' });
    const { file } = await transport.openLink(new URL(`${files.url}/old`));
    let text = '';
    for await (const bytes of file.bytes) text += Buffer.from(bytes).toString('utf8');
    expect(text).toBe('the report');
    const secrets = files.requests.map(({ headers }) => [headers.authorization, headers.cookie, headers.referer]);
    expect(secrets).toEqual([
      [undefined, undefined, undefined],
      [undefined, undefined, undefined],
    ]);
  });

  test('of a service in a private network do not lead to the metadata server of a cloud', async () => {
    const transport = openTransport({ baseUrl: 'https://private.example.com', resolve });
    const link = new URL('https://metadata.example.com/report');
    expect((await catchService(transport.openLink(link))).code).toBe('SYNC_SERVICE_LINK');
    expect((await catchService(transport.openLink(new URL('https://169.254.169.254/')))).code).toBe(
      'SYNC_SERVICE_LINK',
    );
  });

  test('end after a few redirects', async () => {
    const files = await listen((_, response) => void response.writeHead(302, { location: '/again' }).end());
    const transport = openTransport({ baseUrl: 'http://127.0.0.1:1' });
    expect((await catchService(transport.openLink(new URL(files.url)))).message).toContain('more than 5 times');
    expect(files.requests.length).toBeLessThan(10);
  });
});
