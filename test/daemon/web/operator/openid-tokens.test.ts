import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { createOpenIdLogin } from '../../../../src/daemon/web/operator/openid-login.js';
import { listenOnLoopback } from '../../../loopback.js';

/* What a provider says of a person that it should not, or no longer: the real one (openid.test.ts) would never. */

type Claims = Readonly<Record<string, unknown>>;

interface Forger {
  readonly issuer: string;
  /** Of the tokens from now on: over those that are right. */
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

it('lets in whom the provider names, also where its clock is some seconds away', async () => {
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
  ['of another issuer', () => ({ iss: 'https://login.example.org' })],
  ['for another client', () => ({ aud: 'another' })],
  ['that is over', () => ({ exp: now() - 600 })],
  ['that is for later', () => ({ nbf: now() + 600 })],
  ['of another log-in', () => ({ nonce: 'another' })],
  ['of no log-in', () => ({ nonce: undefined })],
  ['without a signature', () => ({}), 'none'],
  ['signed in a way that was not agreed', () => ({}), 'HS256'],
  ['that names nobody', () => ({ email: undefined })],
  ['that names a blank', () => ({ email: '  ' })],
  ['that names a list', () => ({ email: ['jane@example.com'] })],
  ['of an address that is not vouched for', () => ({ email_verified: false })],
  ['of an address that is not vouched for, in a word', () => ({ email_verified: 'false' })],
  ['of an address of which nothing is said', () => ({ email_verified: undefined })],
  ['of a name with letters that look like others', () => ({ email: 'ｊane@example.com' })],
  ['of a name with a sign for two', () => ({ email: 'ﬁnn@example.com' })],
])('lets nobody in by a token %s', async (_, claims, alg) => {
  await expect(logIn(claims(), alg)).rejects.toMatchObject({ code: 'SYNC_WEB_LOGIN' });
});

it('says both ways out where the provider says nothing of an address, and believes no word against it', async () => {
  await expect(logIn({ email_verified: undefined })).rejects.toMatchObject({
    remedy: expect.stringMatching(/send the claim `email_verified`.*set `email_verified: trusted`/),
  });
  await expect(logIn({ email_verified: false }, 'RS256', 'trusted')).rejects.toMatchObject({ code: 'SYNC_WEB_LOGIN' });
});

it.each<[string, Claims, readonly string[], string?]>([
  ['too many to be in the token', { _claim_names: { groups: 'src1' } }, [], 'too many'],
  ['too many, as a public client sees it', { hasgroups: true }, [], 'too many'],
  ['elsewhere, of another claim', { _claim_names: { photos: 'src1' } }, [], 'no list'],
  ['missing', {}, [], 'no list'],
  ['no list', { groups: 'admins' }, [], 'no list'],
  ['none', { groups: [] }, []],
  ['a list of other things', { groups: [1, { id: 'admins' }, null, 'staff'] }, ['staff']],
])('groups that are %s give no role by a group, and it is known why', async (_, claims, groups, because) => {
  const found = await logIn(claims);
  expect([found.groups, found.unknownGroups]).toEqual([groups, because]);
});
