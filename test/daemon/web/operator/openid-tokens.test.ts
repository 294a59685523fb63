import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { createOpenIdLogin } from '../../../../src/daemon/web/operator/openid-login.js';
import { listenOnLoopback } from '../../../loopback.js';

/* Claims that a provider should not send, or no longer. The real provider in openid.test.ts never sends them. */

type Claims = Readonly<Record<string, unknown>>;

interface Forger {
  readonly issuer: string;
  /** The claims of future tokens; they override the valid ones. */
  claims: Claims;
  alg: string;
  nonce: string;
}

async function openForger(): Promise<Forger> {
  const forger = { issuer: '', claims: {}, alg: 'RS256', nonce: '' };
  const server = createServer((request, response) => {
    const { issuer } = forger;
    const answers: Readonly<Record<string, unknown>> = {
      '/.well-known/openid-configuration': {
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      },
      '/token': { access_token: 'a', token_type: 'bearer', id_token: sign(forger) },
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answers[request.url ?? '']));
  });
  forger.issuer = await listenOnLoopback(server);
  return forger;
}

function sign({ issuer, claims, alg, nonce }: Forger): string {
  const now = Math.floor(Date.now() / 1_000);
  const right = {
    iss: issuer,
    aud: 'talent-sync',
    sub: 's1',
    iat: now,
    exp: now + 300,
    nonce,
    email: 'Jane@Example.com',
    email_verified: true,
  };
  const part = (of: unknown): string => Buffer.from(JSON.stringify(of)).toString('base64url');
  return `${part({ alg, kid: 'k1' })}.${part({ ...right, ...claims })}.${Buffer.from('signature').toString('base64url')}`;
}

async function logIn(claims: Claims, alg = 'RS256', emailVerified: 'required' | 'trusted' = 'required') {
  const forger = await openForger();
  const { issuer } = forger;
  const scopes = ['openid'];
  const settings = {
    issuer,
    clientId: 'talent-sync',
    clientSecret: null,
    scopes,
    who: 'email',
    emailVerified,
    name: 'name',
    groups: 'groups',
  };
  const login = createOpenIdLogin(settings, 'https://pages.example.com/login/openid/done');
  const { pending } = await login.begin('/');
  Object.assign(forger, { claims, alg, nonce: pending.nonce });
  const callback = new URL(`https://pages.example.com/login/openid/done?code=c&state=${pending.state}`);
  return login.finish(callback, pending);
}

const SECOND = 1;
const now = (): number => Math.floor(Date.now() / 1_000);

it('lets in the person whom the provider names, even if its clock is some seconds off', async () => {
  const jane = {
    ...{ who: 'jane@example.com', name: 'Jane@Example.com', groups: [], via: 'openid' },
    unknownGroups: 'no list',
  };
  expect(await logIn({})).toEqual(jane);
  expect(await logIn({ exp: now() - 5 * SECOND })).toEqual(jane);
  expect(await logIn({ iat: now() + 5 * SECOND })).toEqual(jane);
  expect(await logIn({ email_verified: undefined }, 'RS256', 'trusted')).toEqual(jane);
});

it.each<[string, () => Claims, string?]>([
  ['from another issuer', () => ({ iss: 'https://login.example.org' })],
  ['for another client', () => ({ aud: 'another' })],
  ['that has expired', () => ({ exp: now() - 600 })],
  ['that is not valid yet', () => ({ nbf: now() + 600 })],
  ['from another log-in', () => ({ nonce: 'another' })],
  ['without a log-in', () => ({ nonce: undefined })],
  ['without a signature', () => ({}), 'none'],
  ['signed with an unexpected algorithm', () => ({}), 'HS256'],
  ['that names no person', () => ({ email: undefined })],
  ['that names a blank', () => ({ email: '  ' })],
  ['that names a list', () => ({ email: ['jane@example.com'] })],
  ['with an unverified address', () => ({ email_verified: false })],
  ['with an unverified address, as a text', () => ({ email_verified: 'false' })],
  ['without a statement about the address', () => ({ email_verified: undefined })],
  ['for a name with look-alike letters', () => ({ email: 'ｊane@example.com' })],
  ['for a name with a ligature', () => ({ email: 'ﬁnn@example.com' })],
])('rejects a token %s', async (_, claims, alg) => {
  await expect(logIn(claims(), alg)).rejects.toMatchObject({ code: 'SYNC_WEB_LOGIN' });
});

it('names both remedies for an unverified address, and never overrides a claim that it is unverified', async () => {
  await expect(logIn({ email_verified: undefined })).rejects.toMatchObject({
    remedy: expect.stringMatching(/send the claim `email_verified`.*set `email_verified: trusted`/),
  });
  await expect(logIn({ email_verified: false }, 'RS256', 'trusted')).rejects.toMatchObject({ code: 'SYNC_WEB_LOGIN' });
});

it.each<[string, Claims, readonly string[], string?]>([
  ['too many for the token', { _claim_names: { groups: 'src1' } }, [], 'too many'],
  ['too many, as a public client sees it', { hasgroups: true }, [], 'too many'],
  ['elsewhere, for another claim', { _claim_names: { photos: 'src1' } }, [], 'no list'],
  ['missing', {}, [], 'no list'],
  ['not a list', { groups: 'admins' }, [], 'no list'],
  ['none', { groups: [] }, []],
  ['a list with other values', { groups: [1, { id: 'admins' }, null, 'staff'] }, ['staff']],
])('reads groups that are %s, and notes why they are unknown', async (_, claims, groups, because) => {
  const found = await logIn(claims);
  expect([found.groups, found.unknownGroups]).toEqual([groups, because]);
});
