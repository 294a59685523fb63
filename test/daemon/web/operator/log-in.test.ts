import { describe, expect, it } from 'vitest';
import { Browser, openPages } from './pages.js';

const JANE = 'jane@example.com';
const VIEWERS = [{ role: 'viewer', who: [JANE], groups: [], tenants: null, pseudonyms: false }] as const;

async function logIn(pages: Awaited<ReturnType<typeof openPages>>): Promise<Browser> {
  const browser = new Browser(pages.url);
  const answer = await browser.post('/login/token', { token: pages.giveToken(JANE), to: '/' });
  expect(answer).toMatchObject({ status: 303, location: '/inbox' });
  return browser;
}

describe('a log-in', () => {
  it('is required before any page, and leads back to it', async () => {
    const pages = await openPages({ settings: { grants: VIEWERS } });
    const browser = new Browser(pages.url);
    const { status, location } = await browser.get('/?show=all');
    expect([status, location]).toEqual([303, '/login?to=%2F%3Fshow%3Dall']);
    const { location: after } = await browser.post('/login/token', { token: pages.giveToken(JANE), to: '/?show=all' });
    expect(after).toBe('/?show=all');
    expect((await browser.get('/')).text).toContain('acme');
  });

  it('is rejected for an unknown token', async () => {
    const pages = await openPages();
    const browser = new Browser(pages.url);
    const { status, text } = await browser.post('/login/token', { token: 'ts_nobody', to: '/' });
    expect(status).toBe(401);
    expect(text).toContain('This token is unknown or has expired.');
    expect(browser.cookies()).not.toContain('talent-sync');
  });

  it('is logged if it is rejected, without the token, and with the person if the token has expired', async () => {
    const pages = await openPages({ settings: { grants: VIEWERS } });
    const browser = new Browser(pages.url);
    const token = pages.giveToken(JANE);
    pages.clock.advance(3_600_001);
    await browser.post('/login/token', { token: 'ts_nobody', to: '/' });
    await browser.post('/login/token', { token, to: '/' });
    await browser.get('/', { authorization: `Bearer ${token}` });
    const rejected = { msg: 'log-in rejected', via: 'token', address: '127.0.0.1' };
    expect(pages.log.map((line) => JSON.parse(line))).toMatchObject([
      { ...rejected, operator: null },
      { ...rejected, operator: JANE },
      { ...rejected, operator: JANE },
    ]);
    expect(pages.log.join()).not.toContain(token);
  });

  it('is logged if the person has no role', async () => {
    const pages = await openPages({ settings: { grants: VIEWERS } });
    await new Browser(pages.url).post('/login/token', { token: pages.giveToken('pat@example.com'), to: '/' });
    expect(pages.log.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'logged in', operator: 'pat@example.com' },
      { msg: 'logged in without a role for any tenant', operator: 'pat@example.com' },
    ]);
  });

  it.each([
    ['the token expires', (pages) => void pages.clock.advance(3_600_001)],
    ['the session was idle for an hour', (pages) => void pages.clock.advance(3_600_000)],
    ['the person is removed', (pages) => void pages.store.revoke(JANE)],
  ] as readonly (readonly [string, (pages: Awaited<ReturnType<typeof openPages>>) => void])[])(
    'ends when %s',
    async (_, happen) => {
      const pages = await openPages({ settings: { grants: VIEWERS } });
      const browser = await logIn(pages);
      expect((await browser.get('/')).status).toBe(200);
      happen(pages);
      expect((await browser.get('/')).location).toBe('/login?to=%2F');
    },
  );

  it('lasts while it is used, but not beyond its maximum', async () => {
    const pages = await openPages({ settings: { grants: VIEWERS, longestMs: 3 * 1_800_000 } });
    const browser = new Browser(pages.url);
    const token = pages.store.addToken({ id: 't', who: JANE, at: '2026', expiresAt: '2027' });
    await browser.post('/login/token', { token, to: '/' });
    const statuses: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      pages.clock.advance(1_790_000);
      statuses.push((await browser.get('/')).status);
    }
    pages.clock.advance(60_000);
    statuses.push((await browser.get('/')).status);
    expect(statuses).toEqual([200, 200, 200, 303]);
  });

  it('ends with a log-out, for copies of the cookie too', async () => {
    const pages = await openPages({ settings: { grants: VIEWERS } });
    const browser = await logIn(pages);
    const stolen = new Browser(pages.url);
    stolen.setCookie('talent-sync', browser.cookie('talent-sync') ?? '');
    expect((await stolen.get('/')).status).toBe(200);
    expect(await browser.post('/logout', {}, '/')).toMatchObject({ status: 303, location: '/login' });
    expect((await stolen.get('/')).status).toBe(303);
  });

  it('never keeps a session id that existed before it', async () => {
    const pages = await openPages({ settings: { grants: VIEWERS } });
    const victim = new Browser(pages.url);
    victim.setCookie('talent-sync', 'chosen-by-somebody-else');
    await victim.post('/login/token', { token: pages.giveToken(JANE), to: '/' });
    expect(victim.cookie('talent-sync')).not.toBe('chosen-by-somebody-else');
    const first = victim.cookie('talent-sync') ?? '';
    await victim.post('/logout', {}, '/');
    await victim.post('/login/token', { token: pages.giveToken(JANE), to: '/' });
    expect(victim.cookie('talent-sync')).not.toBe(first);
  });

  it('becomes invalid under another key, like its forms, so that people log in again', async () => {
    const pages = await openPages({ settings: { grants: VIEWERS } });
    const browser = await logIn(pages);
    const { text } = await browser.get('/');
    const csrf = /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? '';
    // The earlier connections end with the process.
    const look = async () => (await browser.get('/').catch(() => null))?.location;
    await pages.restart();
    await expect.poll(look).toBe(null);
    await pages.restart('forgetful');
    await expect.poll(look).toBe('/login?to=%2F');
    const again = { token: pages.giveToken(JANE), to: '/' };
    expect((await browser.postAs('/login/token', { _csrf: csrf, ...again }, {})).status).toBe(403);
    expect((await browser.post('/login/token', again)).status).toBe(303);
    expect((await browser.get('/')).status).toBe(200);
  });

  it('sends its cookie only over https if the pages are public, and hides it from scripts', async () => {
    const publicUrl = 'https://sync.example.com';
    const pages = await openPages({ settings: { grants: VIEWERS, publicUrl } });
    const browser = new Browser(pages.url);
    const { headers } = await browser.post('/login/token', { token: pages.giveToken(JANE), to: '/' });
    const cookie = headers.getSetCookie().find((line) => line.startsWith('__Host-talent-sync='));
    expect(cookie).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(headers.get('strict-transport-security')).toContain('max-age=');
  });

  it.each([
    '//evil.example.com',
    '/\\evil.example.com',
    '/..//evil.example.com',
    '/.//evil.example.com',
    '/tenants/%2e%2e/..//evil.example.com',
    '/x/..//\\evil.example.com',
    'https://evil.example.com',
    '/login?to=/',
    '/logout',
    'x',
    '/\r\nx: y',
  ])('redirects to no other site: %j', async (to) => {
    const pages = await openPages({ settings: { grants: VIEWERS } });
    const { location } = await new Browser(pages.url).post('/login/token', { token: pages.giveToken(JANE), to });
    expect(location).toBe('/inbox');
  });

  it.each(['/tenants/acme/people/explain?q=E1', '/api/tenants/acme/explain/user/E1'])(
    'may use the run lock at most thirty times a minute: %s',
    async (path) => {
      const pages = await openPages();
      const browser = new Browser(pages.url);
      const statuses: number[] = [];
      for (let i = 0; i < 31; i += 1) statuses.push((await browser.get(path)).status);
      expect(statuses.indexOf(429)).toBe(30);
    },
  );

  it('allows at most twenty attempts a minute', async () => {
    const pages = await openPages();
    const browser = new Browser(pages.url);
    const statuses: number[] = [];
    for (let i = 0; i < 21; i += 1) {
      const { status } = await browser.postAs('/login/token', { token: `ts_${i}` }, {});
      statuses.push(status);
    }
    expect(statuses.slice(0, 20).every((status) => status === 403)).toBe(true);
    expect(statuses[20]).toBe(429);
  });
});

describe('the sender of a request', () => {
  const proxy = { who: 'X-Forwarded-Email', groups: 'X-Forwarded-Groups' };
  const grants = [{ role: 'viewer', who: [], groups: ['staff'], tenants: ['acme'], pseudonyms: false }] as const;

  it.each([
    [
      'accepted from a trusted proxy, by its groups',
      ['127.0.0.1'],
      { 'x-forwarded-email': 'Bob@Example.com', 'x-forwarded-groups': 'x, staff' },
      200,
    ],
    [
      'sent to the log-in from an untrusted proxy',
      ['10.0.0.0/8'],
      { 'x-forwarded-email': 'bob@example.com', 'x-forwarded-groups': 'staff' },
      303,
    ],
    // Full-width letters, as the bytes of a header.
    [
      'rejected for a name with look-alike letters',
      ['127.0.0.1'],
      { 'x-forwarded-email': 'ï½\u008aane@example.com' },
      403,
    ],
    ['sent to the log-in if a proxy names nobody', ['127.0.0.1'], { 'x-forwarded-groups': 'staff' }, 303],
    ['accepted with a token instead of a cookie', [], { authorization: 'Bearer TOKEN' }, 200],
    [
      'rejected with an unknown token',
      ['127.0.0.1'],
      { authorization: 'Bearer ts_x', 'x-forwarded-email': 'bob@example.com' },
      401,
    ],
  ] as readonly (readonly [string, readonly string[], Record<string, string>, number])[])(
    'is %s',
    async (_, trustedProxies, headers, expected) => {
      const pages = await openPages({ settings: { proxy, trustedProxies, grants } });
      const token = pages.giveToken('kim@example.com');
      const sent = Object.fromEntries(
        Object.entries(headers).map(([name, text]) => [name, text.replace('TOKEN', token)]),
      );
      expect((await new Browser(pages.url).get('/', sent)).status).toBe(expected);
    },
  );

  it('needs no log-in only if the pages are for this machine', async () => {
    const pages = await openPages({ isLocal: true });
    const browser = new Browser(pages.url);
    expect((await browser.get('/')).text).toContain('globex');
    // A foreign name that resolves to this machine.
    const port = new URL(pages.url).port;
    expect((await ask(pages.url, { host: `evil.example.com:${port}` })).status).toBe(403);
  });
});

/** Sends a request with a host header of its own, which fetch does not allow. */
async function ask(url: string, headers: Record<string, string>): Promise<{ status: number }> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0 });
    })
      .on('error', reject)
      .end();
  });
}

describe('a form', () => {
  it.each([
    ['from the page itself', {}, { 'sec-fetch-site': 'same-origin' }, 303],
    ["from another site's page", {}, { 'sec-fetch-site': 'cross-site' }, 403],
    ['from another host of the same site', {}, { 'sec-fetch-site': 'same-site' }, 403],
    ['without its token', { _csrf: '' }, {}, 403],
    ['with an invented token', { _csrf: 'x'.repeat(60) }, {}, 403],
  ] as readonly (readonly [string, Record<string, string>, Record<string, string>, number])[])(
    'is judged %s: %j',
    async (_, fields, headers, expected) => {
      const pages = await openPages({ settings: { grants: VIEWERS } });
      const browser = await logIn(pages);
      const { text } = await browser.get('/');
      const csrf = /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? '';
      expect((await browser.postAs('/logout', { _csrf: csrf, ...fields }, headers)).status).toBe(expected);
    },
  );

  it('is valid only for the person it was made for', async () => {
    const pages = await openPages({ settings: { grants: VIEWERS } });
    const browser = new Browser(pages.url);
    const before = /name="_csrf" value="([^"]*)"/.exec((await browser.get('/login')).text)?.[1] ?? '';
    await browser.post('/login/token', { token: pages.giveToken(JANE), to: '/' });
    expect((await browser.postAs('/logout', { _csrf: before }, {})).status).toBe(403);
  });
});
