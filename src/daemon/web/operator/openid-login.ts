import * as openid from 'openid-client';
import { SyncError } from '../../../base/errors.js';
import { isLoopback } from '../../../base/http/private-address.js';
import { foldIdentity, type Identity, isDisguised } from '../../../config/access/identity.js';
import type { OpenIdSettings } from '../../../config/web-settings.js';

/** Data that the browser keeps between leaving for the identity provider and coming back. */
export interface PendingLogin {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The page that the person requested. */
  readonly to: string;
}

export interface OpenIdLogin {
  /** Returns the identity provider's address for the browser, and the values that the browser must bring back. */
  begin(to: string): Promise<{ readonly address: string; readonly pending: PendingLogin }>;
  /** @throws SyncError SYNC_WEB_LOGIN if the provider's answer does not prove an identity */
  finish(callback: URL, pending: PendingLogin): Promise<Identity>;
}

// The openid-client package sends its own calls and checks each response.
const TIMEOUT_SECONDS = 10;

/** OpenID Connect by authorization code with PKCE, state and nonce. Discovery runs at the first log-in. */
export function createOpenIdLogin(settings: OpenIdSettings, redirectUri: string): OpenIdLogin {
  let found: Promise<openid.Configuration> | null = null;

  async function discover(): Promise<openid.Configuration> {
    const issuer = new URL(settings.issuer);
    const authentication =
      settings.clientSecret === null ? openid.None() : openid.ClientSecretPost(settings.clientSecret.reveal());
    // http:// is allowed only for a provider on this machine, as in tests.
    const isHere = issuer.protocol === 'http:' && isLoopback(issuer.hostname);
    return openid.discovery(issuer, settings.clientId, undefined, authentication, {
      timeout: TIMEOUT_SECONDS,
      execute: isHere ? [openid.allowInsecureRequests] : [],
    });
  }

  async function configuration(): Promise<openid.Configuration> {
    found ??= discover();
    try {
      return await found;
    } catch (error) {
      // The provider may be available the next time, so try again.
      found = null;
      throw loginError('The identity provider did not return its endpoints', error);
    }
  }

  return {
    async begin(to) {
      const config = await configuration();
      const verifier = openid.randomPKCECodeVerifier();
      const pending = { state: openid.randomState(), nonce: openid.randomNonce(), verifier, to };
      const address = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: settings.scopes.join(' '),
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state: pending.state,
        nonce: pending.nonce,
      });
      return { address: address.href, pending };
    },
    async finish(callback, { verifier, state, nonce }) {
      const config = await configuration();
      const tokens = await openid
        .authorizationCodeGrant(config, callback, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        })
        .catch((error: unknown) => {
          throw loginError('The identity provider did not complete the log-in', error);
        });
      const claims = tokens.claims();
      if (claims === undefined) throw loginError('The identity provider sent no ID token', null);
      return readPerson(claims, settings);
    },
  };
}

/** Reads the person. An e-mail address that the provider has not verified proves nothing. */
function readPerson(claims: Readonly<Record<string, unknown>>, settings: OpenIdSettings): Identity {
  const who = claims[settings.who];
  if (typeof who !== 'string' || who.trim() === '') {
    throw loginError(`The identity provider sent no claim "${settings.who}"`, null);
  }
  if (isDisguised(who))
    throw loginError(`The identity provider sent the name "${who}", which contains characters that look like others`, {
      who,
    });
  requireVerified(claims.email_verified, settings, who);
  const name = claims[settings.name];
  const groups = claims[settings.groups];
  const texts = Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : [];
  const isElsewhere = claims.hasgroups === true || Object.hasOwn(Object(claims._claim_names), settings.groups);
  return {
    who: foldIdentity(who),
    name: typeof name === 'string' && name !== '' ? name : who,
    groups: texts,
    // Entra ID omits a list that is too long for a token, and names an address to query instead.
    ...(Array.isArray(groups) ? {} : { unknownGroups: isElsewhere ? 'too many' : 'no list' }),
    via: 'openid',
  };
}

/**
 * Requires a verified address. Some providers send strings, and some send nothing. A user name may also be an address, so
 * `false` always rejects.
 */
function requireVerified(claim: unknown, { who, emailVerified }: OpenIdSettings, named: string): void {
  if (claim === true || claim === 'true') return;
  if (claim !== undefined)
    throw loginError('The identity provider has not verified the e-mail address', { who: named });
  if (who !== 'email' || emailVerified === 'trusted') return;
  throw loginError(
    'The identity provider does not say whether it has verified the e-mail address',
    { who: named },
    'Have it send the claim `email_verified`. If nobody can choose their own address there, set `email_verified: trusted` under `web.login.openid`.',
  );
}

/** The person named in the claims of a rejected log-in; null if there were no claims. */
export function findRejectedPerson({ cause }: SyncError): string | null {
  return typeof cause === 'object' && cause !== null && 'who' in cause ? String(cause.who) : null;
}

function loginError(message: string, cause: unknown, remedy = COMPARE): SyncError {
  const detail = cause instanceof Error ? `: ${cause.message}` : '';
  return new SyncError('SYNC_WEB_LOGIN', {
    message: `${message}${detail}.`,
    place: 'web.login.openid',
    remedy,
    cause,
  });
}

const COMPARE =
  'Compare issuer, client_id, secret, scopes and claims with what the identity provider shows for this client.';
