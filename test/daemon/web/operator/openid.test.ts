import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Provider from 'oidc-provider';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Secret } from '../../../../src/base/secrets/secret.js';
import { closeAfterTest } from '../../../closing.js';
import { findFreePort } from '../../../free-ports.js';
import { Browser, type OpenedPages, openPages } from './pages.js';

interface Account {
  readonly email: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: readonly string[];
}

const ACCOUNTS: Readonly<Record<string, Account>> = {
  jane: { email: 'Jane@Example.com', email_verified: true, name: 'Jane Doe', groups: ['staff'] },
  kim: { email: 'kim@example.com', email_verified: true, name: 'Kim' },
  mallory: { email: 'jane@example.com', email_verified: false, name: 'Jane Doe', groups: ['staff'] },
};
const GRANTS = [
  { role: 'viewer', who: ['jane@example.com'], groups: [], tenants: ['acme'], pseudonyms: false },
] as const;

/** A certified provider on a port of its own that accepts any password. */
async function openProvider(redirect: () => string): Promise<string> {
  let provider: Provider | null = null;
  const server = createServer((request, response) => void provider?.callback()(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAfterTest({
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { default: Made } = await import('oidc-provider');
  provider = new Made(issuer, {
    clients: [
      {
        client_id: 'talent-sync',
        client_secret: 'a-client-secret-of-tests',
        redirect_uris: [redirect()],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub', 'email', 'email_verified', 'name', 'groups'] },
    conformIdTokenClaims: false,
    cookies: { keys: ['cookies of tests'] },
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, ...ACCOUNTS[id] }) }),
    pkce: { required: () => true },
  });
  return issuer;
}

async function open(who = 'email'): Promise<{ readonly pages: OpenedPages; readonly issuer: string }> {
  // The provider needs the address of the pages, and the pages need the provider's.
  const port = await findFreePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const issuer = await openProvider(() => `${publicUrl}/login/openid/done`);
  const openid = {
    issuer,
    clientId: 'talent-sync',
    clientSecret: new Secret('a-client-secret-of-tests'),
    scopes: ['openid'],
    who,
    emailVerified: 'required' as const,
    name: 'name',
    groups: 'groups',
  };
  return { issuer, pages: await openPages({ settings: { port, publicUrl, openid, grants: GRANTS } }) };
}

/** Logs in at the provider and consents. Returns the address to which the provider sends the browser. */
async function goToProvider(browser: Browser, issuer: string, account: string, to = '/'): Promise<string> {
  const there = new Browser(issuer);
  let { location } = await browser.get(`/login/openid?to=${encodeURIComponent(to)}`);
  for (let step = 0; step < 12; step += 1) {
    if (location === null || !new URL(location, issuer).href.startsWith(issuer)) break;
    const { pathname, search } = new URL(location, issuer);
    const page = await there.get(`${pathname}${search}`);
    location = page.location;
    const action = /<form[^>]*action="([^"]*)"/.exec(page.text)?.[1];
    if (action === undefined) continue;
    const prompt = /name="prompt" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
    const fields = prompt === 'login' ? { prompt, login: account, password: 'any' } : { prompt };
    location = (await there.postAs(new URL(action, issuer).pathname, fields, {})).location;
  }
  return location ?? '';
}

function pathOf(address: string): string {
  const { pathname, search } = new URL(address);
  return `${pathname}${search}`;
}

describe('a log-in by OpenID Connect', () => {
  beforeAll(() => {
    // The provider warns that its pages are for development.
    const spies = (['warn', 'info'] as const).map((level) => vi.spyOn(console, level).mockReturnValue());
    return () => {
      for (const spy of spies) spy.mockRestore();
    };
  });

  it('names the person by a claim, and leads to the requested page', async () => {
    const { pages, issuer } = await open();
    const browser = new Browser(pages.url);
    const back = await goToProvider(browser, issuer, 'jane', '/?from=mail');
    expect(await browser.get(pathOf(back))).toMatchObject({ status: 303, location: '/?from=mail' });
    const { text } = await browser.get('/');
    expect(text).toContain('Jane Doe');
    expect(text).toContain('acme');
    expect(text).not.toContain('globex');
    expect(pages.store.logins().map(({ who }) => who)).toEqual(['jane@example.com']);
  });

  it('says why a person has no role if the provider sends no groups and a group would give one', async () => {
    const { pages, issuer } = await open();
    const browser = new Browser(pages.url);
    await browser.get(pathOf(await goToProvider(browser, issuer, 'kim')));
    expect((await browser.get('/')).text).not.toContain('sent no list of groups');
    pages.configure({ grants: [{ ...GRANTS[0], who: [], groups: ['staff'] }] });
    const { text } = await browser.get('/');
    expect(text).toContain('You have no role for any tenant.');
    expect(text).toContain('sent no list of groups (<code>groups</code>)');
    const other = new Browser(pages.url);
    await other.get(pathOf(await goToProvider(other, issuer, 'kim')));
    expect(pages.log.filter((line) => line.includes('no role by a group'))).toEqual([
      expect.stringContaining('"operator":"kim@example.com","because":"no list"'),
    ]);
    const jane = new Browser(pages.url);
    await jane.get(pathOf(await goToProvider(jane, issuer, 'jane')));
    const shown = (await jane.get('/')).text;
    expect(shown).toContain('acme');
    expect(shown).not.toContain('sent no list of groups');
  });

  it.each([
    ['email', 'jane@example.com'],
    ['sub', 'mallory'],
  ])('rejects a person identified by %s with an unverified address', async (who, operator) => {
    const { pages, issuer } = await open(who);
    const browser = new Browser(pages.url);
    const back = await goToProvider(browser, issuer, 'mallory');
    const { status, text } = await browser.get(pathOf(back));
    expect(status).toBe(502);
    expect(text).toContain('has not verified the e-mail address');
    expect(pages.log.map((line) => JSON.parse(line))).toMatchObject([
      {
        msg: 'log-in rejected',
        via: 'openid',
        operator,
        because: expect.stringContaining('verified'),
      },
    ]);
    expect(pages.store.logins()).toEqual([]);
  });

  it.each([
    ['in another browser', async (pages: OpenedPages, back: string) => new Browser(pages.url).get(pathOf(back))],
    [
      'with another state value',
      async (_: OpenedPages, back: string, browser: Browser) =>
        browser.get(pathOf(back).replace(/state=[^&]*/, 'state=another')),
    ],
    [
      'a second time',
      async (_: OpenedPages, back: string, browser: Browser) => {
        await browser.get(pathOf(back));
        return browser.get(pathOf(back));
      },
    ],
    [
      'with an invented code',
      async (_: OpenedPages, back: string, browser: Browser) =>
        browser.get(pathOf(back).replace(/code=[^&]*/, 'code=made-up')),
    ],
  ] as const)('is not finished %s', async (_, finish) => {
    const { pages, issuer } = await open();
    const browser = new Browser(pages.url);
    const back = await goToProvider(browser, issuer, 'jane');
    const { status, text } = await finish(pages, back, browser);
    expect([400, 502]).toContain(status);
    expect(text).not.toContain('a-client-secret-of-tests');
  });

  it('reports a provider that does not answer, and works once it answers again', async () => {
    const port = await findFreePort();
    const publicUrl = 'http://127.0.0.1:1';
    const openid = {
      issuer: `http://127.0.0.1:${port}`,
      clientId: 'talent-sync',
      clientSecret: null,
      scopes: ['openid'],
      who: 'email',
      emailVerified: 'required' as const,
      name: 'name',
      groups: 'groups',
    };
    const pages = await openPages({ settings: { publicUrl, openid } });
    const { status, text } = await new Browser(pages.url).get('/login/openid');
    expect(status).toBe(502);
    expect(text).toContain('The identity provider did not return its endpoints');
  });
});
