import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../../src/base/secrets/secret.js';
import { followLink, stripQuery } from '../../../src/connectors/http/addresses.js';
import { HttpSource } from '../../../src/connectors/http/http-source.js';
import type { HttpAccess, HttpAuth } from '../../../src/connectors/http/resolve-http.js';
import { sweep } from '../../depth.js';
import { answerJson, buildContext, catchSyncError, makeFolder, NOW, OPEN_ACCESS } from '../fixtures.js';
import { makeCertificates } from './certificates.js';
import { openProxy } from './open-proxy.js';

function openSource(access: Partial<HttpAccess>, context = buildContext()): HttpSource {
  const source = new HttpSource(
    {
      system: 'CRM',
      access: { ...OPEN_ACCESS, ...access },
      accept: 'application/json',
      right: 'read companies',
      addressHint: 'Check `base_url`.',
    },
    context,
  );
  onTestFinished(() => source.close());
  return source;
}

/** Serves plain HTTP on loopback, and records the requests. */
async function serve(respond: RequestListener): Promise<{ baseUrl: string; requests: readonly IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const port = await listen(
    createHttpServer((request, response) => {
      requests.push(request);
      respond(request, response);
    }),
  );
  return { baseUrl: `http://127.0.0.1:${port}`, requests };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe('credentials', () => {
  test.each<[string, HttpAuth | null, string, string | undefined]>([
    ['no credentials', null, 'authorization', undefined],
    ['a bearer token', { bearer: new Secret('t') }, 'authorization', 'Bearer t'],
    ['a name and password', { basic: { username: 'u', password: new Secret('p') } }, 'authorization', 'Basic dTpw'],
    ['a custom header', { header: { name: 'X-Api-Key', value: new Secret('k') } }, 'x-api-key', 'k'],
  ])('are sent: %s', async (_, auth, header, value) => {
    const { baseUrl, requests } = await serve((__, response) => answerJson(response, {}));
    await openSource({ auth }).read({ url: baseUrl });
    expect(requests[0]?.headers[header]).toBe(value);
  });

  test('are rejected without being quoted if a header cannot carry them', async () => {
    const { baseUrl, requests } = await serve((_, response) => answerJson(response, {}));
    const error = await catchSyncError(openSourceThatReads(baseUrl, { bearer: new Secret('top-SECRET\n') }));
    expect(error.code).toBe('SYNC_SOURCE_DENIED');
    expect(JSON.stringify([error.message, error.place, error.remedy])).not.toContain('SECRET');
    expect(requests).toEqual([]);
  });
});

async function openSourceThatReads(url: string, auth: HttpAuth): Promise<void> {
  await openSource({ auth }).read({ url });
}

describe('OAuth2 client credentials', () => {
  /** Issues tokens t1, t2 …; the server accepts only the newest, or those allowed by `accepts`. */
  async function openGuarded(
    settings: { readonly expiresIn?: number; readonly accepts?: (token: string) => boolean } = {},
  ) {
    let issued = 0;
    const forms: string[] = [];
    const { baseUrl, requests } = await serve((request, response) => {
      if (request.url === '/token') {
        request.setEncoding('utf8').on('data', (text: string) => forms.push(text));
        request.on('end', () =>
          answerJson(response, { access_token: `t${++issued}`, expires_in: settings.expiresIn ?? 3_600 }),
        );
        return;
      }
      const token = (request.headers.authorization ?? '').replace('Bearer ', '');
      const isRight = settings.accepts?.(token) ?? token === `t${issued}`;
      answerJson(response, isRight ? { token } : { message: 'expired' }, isRight ? 200 : 401);
    });
    const oauth2 = {
      tokenUrl: `${baseUrl}/token`,
      clientId: 'sync',
      clientSecret: new Secret('se:cret'),
      scope: 'crm.read',
      parameters: { audience: 'crm' },
      clientAuth: 'form',
    } as const;
    return { baseUrl, requests, forms, oauth2, asked: () => requests.filter(({ url }) => url === '/token').length };
  }

  test('use one token for all calls, including calls that wait for it', async () => {
    const { baseUrl, oauth2, forms, asked } = await openGuarded();
    const source = openSource({ auth: { oauth2 } });
    await Promise.all([1, 2, 3].map(() => source.read({ url: `${baseUrl}/feed` })));
    await source.read({ url: `${baseUrl}/feed` });
    expect(asked()).toBe(1);
    expect(Object.fromEntries(new URLSearchParams(forms[0]))).toEqual({
      grant_type: 'client_credentials',
      audience: 'crm',
      scope: 'crm.read',
      client_id: 'sync',
      client_secret: 'se:cret',
    });
  });

  test('send id and secret in a header if configured', async () => {
    const { baseUrl, oauth2, requests, forms } = await openGuarded();
    await openSource({ auth: { oauth2: { ...oauth2, clientAuth: 'basic' } } }).read({ url: `${baseUrl}/feed` });
    expect(requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('sync:se%3Acret').toString('base64')}`);
    expect(forms[0]).not.toContain('client_secret');
  });

  test('create another kind of grant for each token request, without a secret', async () => {
    const { baseUrl, oauth2, forms } = await openGuarded({ accepts: (token) => token === 't2' });
    const parameters = { grant_type: 'urn:ietf:params:oauth:grant-type:saml2-bearer' };
    const settings = { ...oauth2, clientSecret: null, scope: null, parameters };
    let made = 0;
    const grant = (nowMs: number) => ({ assertion: `${++made} at ${nowMs}` });
    await openSource({ auth: { oauth2: { ...settings, grant } } }).read({ url: `${baseUrl}/feed` });
    expect(forms.map((form) => Object.fromEntries(new URLSearchParams(form)))).toEqual(
      [1, 2].map((time) => ({ ...parameters, client_id: 'sync', assertion: `${time} at ${NOW}` })),
    );
  });

  test('quote a token endpoint without the grant that it repeats', async () => {
    const { baseUrl } = await serve((request, response) => {
      let form = '';
      request.setEncoding('utf8').on('data', (text: string) => {
        form += text;
      });
      request.on('end', () => answerJson(response, { error: new URLSearchParams(form).get('assertion') }, 400));
    });
    const grant = () => ({ assertion: 'signed.and.secret' });
    const settings = { tokenUrl: `${baseUrl}/token`, clientId: 'c', clientSecret: null, scope: null, parameters: {} };
    const auth = { oauth2: { ...settings, clientAuth: 'form' as const, grant } };
    const error = await catchSyncError(openSource({ auth }).read({ url: `${baseUrl}/feed` }));
    expect(error.message).toBe('The token endpoint answered 400: [secret].');
  });

  test('renew a rejected token once, and repeat the call', async () => {
    const { baseUrl, oauth2, asked } = await openGuarded({ accepts: (token) => token !== 't1' });
    const answer = await openSource({ auth: { oauth2 } }).read({ url: `${baseUrl}/feed` });
    expect([answer.body, asked()]).toEqual([{ token: 't2' }, 2]);
  });

  test('report a token that is rejected again, without a loop', async () => {
    const { baseUrl, oauth2, asked } = await openGuarded({ accepts: () => false });
    const error = await catchSyncError(openSource({ auth: { oauth2 } }).read({ url: `${baseUrl}/feed` }));
    expect([error.code, asked()]).toEqual(['SYNC_SOURCE_DENIED', 2]);
  });

  test('renew a token before it expires', async () => {
    const { baseUrl, oauth2, asked } = await openGuarded({ expiresIn: 600, accepts: () => true });
    let now = 0;
    const source = openSource(
      { auth: { oauth2 } },
      { ...buildContext(), clock: { now: () => now, sleep: async () => {} } },
    );
    for (now of [0, 539_000, 541_000]) await source.read({ url: `${baseUrl}/feed` });
    expect(asked()).toBe(2);
  });

  test('report a token endpoint that rejects the request or sends no token', async () => {
    const { baseUrl } = await serve((request, response) =>
      answerJson(
        response,
        request.url === '/none' ? {} : { error: 'invalid_client' },
        request.url === '/none' ? 200 : 401,
      ),
    );
    const oauth2 = {
      tokenUrl: `${baseUrl}/none`,
      clientId: 'c',
      clientSecret: new Secret('s'),
      scope: null,
      parameters: {},
      clientAuth: 'form',
    } as const;
    for (const tokenUrl of [`${baseUrl}/none`, `${baseUrl}/token`]) {
      const error = await catchSyncError(openSourceThatReads(baseUrl, { oauth2: { ...oauth2, tokenUrl } }));
      expect([error.code, error.place]).toEqual(['SYNC_SOURCE_DENIED', `POST ${tokenUrl}`]);
    }
  });
});

describe('failures', () => {
  test('are retried after a pause, preferably that of Retry-After', async () => {
    const answers = [503, 429, 429, 200];
    const { baseUrl } = await serve((_, response) => {
      const status = answers.shift() ?? 500;
      if (status === 429 && answers.length === 2) response.setHeader('retry-after', '7');
      answerJson(response, { status }, status);
    });
    const context = buildContext();
    expect((await openSource({}, context).read({ url: baseUrl })).body).toEqual({ status: 200 });
    expect(context.slept).toEqual([1_000, 7_000, 5_000]);
  });

  test.each([
    ['a redirect', 302, 'SYNC_SOURCE_UNREADABLE'],
    ['a missing right', 403, 'SYNC_SOURCE_DENIED'],
    ['failures without end', 500, 'SYNC_SOURCE_DOWN'],
    ['limits without end', 429, 'SYNC_SOURCE_DOWN'],
  ])('are reported: %s', async (_, status, code) => {
    const { baseUrl } = await serve((__, response) => answerJson(response, {}, status));
    const error = await catchSyncError(openSource({}).read({ url: `${baseUrl}/feed?name=Jane` }));
    expect([error.code, error.place]).toEqual([code, `GET ${baseUrl}/feed`]);
  });

  test('include a server that hangs beyond the timeout', async () => {
    const { baseUrl } = await serve(() => {});
    const error = await catchSyncError(openSource({ timeoutMs: 30 }).read({ url: baseUrl }));
    expect(error.message).toContain('no answer within 0.03 seconds');
  });

  test('include a page instead of JSON, which is not quoted', async () => {
    const { baseUrl } = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Jane'),
    );
    const error = await catchSyncError(openSource({}).read({ url: baseUrl }));
    expect([error.code, error.message.includes('Jane')]).toEqual(['SYNC_SOURCE_FORMAT', false]);
  });

  test('are returned to the caller if it handles them, as JSON or not', async () => {
    const { baseUrl } = await serve((request, response) =>
      request.url === '/gone' ? response.writeHead(410).end('gone') : answerJson(response, { code: 'expired' }, 400),
    );
    const source = openSource({});
    expect(await source.read({ url: `${baseUrl}/gone`, handles: [410] })).toMatchObject({ status: 410, body: null });
    expect(await source.read({ url: `${baseUrl}/x`, handles: [400] })).toMatchObject({ body: { code: 'expired' } });
  });
});

describe('connections', () => {
  sweep('use a private authority and a client certificate, and otherwise report the reason', async () => {
    const { ca, server, client } = makeCertificates(await makeFolder());
    const port = await listen(
      createHttpsServer({ ...server, ca, requestCert: true, rejectUnauthorized: true }, (_, response) =>
        answerJson(response, { ok: true }),
      ),
    );
    const url = `https://127.0.0.1:${port}/`;
    const tls = { ca, client: { cert: client.cert, key: new Secret(client.key), passphrase: new Secret('open') } };
    expect((await openSource({ tls }).read({ url })).body).toEqual({ ok: true });
    const untrusted = await catchSyncError(openSource({ tls: { ...tls, ca: null } }).read({ url }));
    expect(untrusted.remedy).toContain('`tls.ca`');
    expect((await catchSyncError(openSource({ tls: { ca, client: null } }).read({ url }))).code).toBe(
      'SYNC_SOURCE_DOWN',
    );
  });

  test('go through a proxy that asks for a log-in', async () => {
    const { baseUrl } = await serve((_, response) => answerJson(response, { ok: true }));
    const { url, logins, server } = await openProxy();
    onTestFinished(() => void server.close());
    const source = openSource({ proxy: { url, login: { username: 'u', password: new Secret('p') } } });
    expect((await source.read({ url: baseUrl })).body).toEqual({ ok: true });
    expect(logins).toEqual(['Basic dTpw']);
  });

  test.each([
    [407, '`proxy.username`'],
    [403, 'the proxy in `proxy`'],
  ])('report a proxy that answers %i, with a remedy', async (status, remedy) => {
    const { url, server } = await openProxy(status);
    onTestFinished(() => void server.close());
    const error = await catchSyncError(
      openSource({ proxy: { url, login: null } }).read({ url: 'https://crm.example' }),
    );
    expect(error).toMatchObject({
      code: 'SYNC_SOURCE_DOWN',
      message: expect.stringContaining(`proxy answered ${status}`),
    });
    expect(error.remedy).toContain(remedy);
  });
});

describe('links to the next page', () => {
  const page = 'https://crm.example.com/api/v1/items?page=1';

  test.each([
    ['relative', '/api/v1/items?page=2', 'https://crm.example.com/api/v1/items?page=2'],
    ['absolute', 'https://crm.example.com/other?token=a%2Fb', 'https://crm.example.com/other?token=a%2Fb'],
    ['only a query', '?page=2', 'https://crm.example.com/api/v1/items?page=2'],
  ])('are followed: %s', (_, link, address) => {
    expect(followLink(page, link)).toBe(address);
  });

  test.each([
    ['another host', 'https://evil.example.com/api/v1/items'],
    ['another port', 'https://crm.example.com:8443/items'],
    ['another protocol', 'http://crm.example.com/items'],
    ['a disguised host', '//evil.example.com/items'],
    ['an invalid address', 'http://'],
  ])('are rejected: %s', async (_, link) => {
    const error = await catchSyncError(Promise.resolve().then(() => followLink(page, link)));
    expect([error.code, error.place]).toEqual(['SYNC_SOURCE_FORMAT', 'GET https://crm.example.com/api/v1/items']);
  });

  test('stripQuery removes possible secrets from an address', () => {
    expect(stripQuery('https://u:p@crm.example.com/items/?token=t#x')).toBe('https://crm.example.com/items');
  });
});
