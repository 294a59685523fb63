import type { Clock } from '../../base/clock.js';
import { SyncError } from '../../base/errors.js';
import { encodeBasic } from '../../base/secrets/encode-basic.js';
import { noteSecret, Secret } from '../../base/secrets/secret.js';
import type { Json, JsonObject } from '../../model/json.js';
import { compilePointer } from '../rows/pointer.js';
import type { HttpAuth, OAuth2Settings } from './resolve-http.js';

/** Provides the headers that authenticate a request. */
export interface Credentials {
  /** @param ask requests a token if no token is known */
  headers(ask: AskForToken, signal?: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Called after a 401. Returns true if another attempt may succeed, and false if the credentials never change. */
  renew(refused: Readonly<Record<string, string>>): boolean;
}

/** Sends the form to the token endpoint, with the same retries and checks as any other call. */
export type AskForToken = (request: TokenRequest, signal?: AbortSignal) => Promise<Json>;

interface TokenRequest {
  readonly url: string;
  /** The body, sent as a form or as JSON. */
  readonly form: URLSearchParams | JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

/** A token that expires within this time could expire during the call. */
const MARGIN_MS = 60_000;
/** The lifetime of a token if the server states none (RFC 6749, section 5.1: expires_in is only recommended). */
const USUAL_LIFE_MS = 300_000;

/** Creates the credentials of one source. All its streams share one token, because systems limit the number of tokens. */
export function createCredentials(auth: HttpAuth | null, clock: Clock): Credentials {
  if (auth !== null && 'oauth2' in auth) return createTokens(auth.oauth2, clock);
  const fixed = auth === null ? {} : fixedHeaders(auth);
  return { headers: async () => checkHeaders(fixed), renew: () => false };
}

function fixedHeaders(auth: Exclude<HttpAuth, { readonly oauth2: OAuth2Settings }>): Readonly<Record<string, string>> {
  if ('bearer' in auth) return { authorization: `Bearer ${auth.bearer.reveal()}` };
  if ('basic' in auth) return { authorization: encodeBasic(auth.basic.username, auth.basic.password) };
  return { [auth.header.name.toLowerCase()]: auth.header.value.reveal() };
}

/** Checks header values here, because `Headers` would quote a rejected value, which is the secret, in its error. */
function checkHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (Object.values(headers).every((value) => /^[\x20-\x7e]+$/.test(value))) return headers;
  throw new SyncError('SYNC_SOURCE_DENIED', {
    message: 'The token has characters that no HTTP header may carry, such as a line break.',
    place: 'auth',
    remedy: "Check where the source's `auth` comes from: the file or variable should contain only the token.",
  });
}

interface AccessToken {
  readonly headers: Readonly<Record<string, string>>;
  readonly endsAt: number;
}

/**
 * Provides one token for all calls. Calls that wait share one request for it. A new token is requested shortly before
 * the old one expires or after a 401.
 */
function createTokens(settings: OAuth2Settings, clock: Clock): Credentials {
  let token: Promise<AccessToken> | null = null;
  let known: AccessToken | null = null;
  const forget = (): void => {
    token = null;
    known = null;
  };
  return {
    async headers(ask, signal) {
      if (known !== null && known.endsAt <= clock.now()) forget();
      token ??= requestToken(settings, clock, ask, signal);
      const asked = token;
      try {
        known = await asked;
      } catch (error) {
        if (token === asked) token = null;
        throw error;
      }
      return known.headers;
    },
    renew(refused) {
      // If another call has already renewed the token, the new token is tried.
      if (known?.headers === refused) forget();
      return true;
    },
  };
}

async function requestToken(
  settings: OAuth2Settings,
  clock: Clock,
  ask: AskForToken,
  signal: AbortSignal | undefined,
): Promise<AccessToken> {
  const askedAt = clock.now();
  const answer = await ask(buildTokenRequest(settings, askedAt), signal);
  const { tokenAt = '/access_token' } = settings;
  const value = compilePointer(tokenAt)(answer);
  const life = compilePointer(tokenAt.replace(/[^/]+$/, 'expires_in'))(answer);
  if (typeof value !== 'string' || value === '') {
    throw new SyncError('SYNC_SOURCE_DENIED', {
      message: `The token endpoint answered without a token at ${tokenAt}.`,
      place: `POST ${settings.tokenUrl}`,
      remedy: 'Check `auth.oauth2`: the address should be the one that issues tokens.',
    });
  }
  const seconds = Number(life);
  const lifeMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : USUAL_LIFE_MS;
  return {
    headers: checkHeaders({ authorization: `Bearer ${noteSecret(value)}` }),
    endsAt: askedAt + Math.max(lifeMs - MARGIN_MS, lifeMs / 2),
  };
}

function buildTokenRequest(settings: OAuth2Settings, nowMs: number): TokenRequest {
  const { tokenUrl: url, clientId, clientSecret, scope, parameters, clientAuth, grant } = settings;
  const secret = clientSecret?.reveal() ?? '';
  if (clientAuth === 'json') {
    return { url, form: { ...parameters, client_id: clientId, client_secret: secret }, headers: {} };
  }
  const granted = grant?.(nowMs) ?? {};
  for (const value of Object.values(granted)) noteSecret(value);
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...parameters, ...granted });
  if (scope !== null) form.set('scope', scope);
  if (clientAuth === 'basic') {
    const encoded = new Secret(encodeURIComponent(secret));
    return { url, form, headers: { authorization: encodeBasic(encodeURIComponent(clientId), encoded) } };
  }
  if (clientId !== '') form.set('client_id', clientId);
  if (clientSecret !== null) form.set('client_secret', secret);
  return { url, form, headers: {} };
}
