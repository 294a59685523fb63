import type { Secret } from '../../base/secrets/secret.js';
import { resolveProxy } from '../../base/settings/proxy.js';
import type { ReadSecret, Resolving, YamlPath } from '../../base/settings/resolving.js';
import { resolveTls } from '../../base/settings/tls.js';
import type { HttpAccessInput } from './http-schema.js';

/** The resolved settings for reaching an outside system over HTTP. Its secrets and certificates have been read. */
export type HttpAccess = Readonly<ReturnType<typeof resolveHttpAccess>>;

export function resolveHttpAccess(path: YamlPath, input: HttpAccessInput, resolving: Resolving) {
  const { auth, tls, proxy, timeout, max_answer } = input;
  const { readSecret } = resolving;
  return {
    auth: auth === undefined ? null : resolveAuth([...path, 'auth'], auth, readSecret),
    tls: tls === undefined ? null : resolveTls([...path, 'tls'], tls, resolving),
    proxy: proxy === undefined ? null : resolveProxy([...path, 'proxy'], proxy, readSecret),
    unusedProxy: proxy === undefined ? (resolving.proxyVariable ?? null) : null,
    timeoutMs: timeout,
    /** The maximum number of bytes in a response after decompression; null for the default limits. */
    maxAnswerBytes: max_answer,
  };
}

type AuthInput = NonNullable<HttpAccessInput['auth']>;
type OAuth2Input = NonNullable<AuthInput['oauth2']>;
export type OAuth2Settings = Readonly<Omit<OAuth2Input, 'clientSecret'>> & {
  /** null if an assertion authenticates the client. */
  readonly clientSecret: Secret | null;
  /**
   * Creates the secret parts of the form for each request: a signed assertion (RFC 7521) or a refresh token.
   * `parameters` contains their `grant_type`.
   */
  readonly grant?: (nowMs: number) => Readonly<Record<string, string>>;
};
export type HttpAuth =
  | { readonly bearer: Secret }
  | { readonly basic: { readonly username: string; readonly password: Secret } }
  | { readonly header: { readonly name: string; readonly value: Secret } }
  | { readonly oauth2: OAuth2Settings };

function resolveAuth(path: YamlPath, auth: AuthInput, readSecret: ReadSecret): HttpAuth | null {
  const { bearer, basic, header, oauth2 } = auth;
  if (bearer !== undefined) return { bearer: readSecret([...path, 'bearer'], bearer) };
  if (basic !== undefined) {
    return { basic: { ...basic, password: readSecret([...path, 'basic', 'password'], basic.password) } };
  }
  if (header !== undefined) {
    return { header: { ...header, value: readSecret([...path, 'header', 'value'], header.value) } };
  }
  if (oauth2 === undefined) return null;
  const clientSecret = readSecret([...path, 'oauth2', 'client_secret'], oauth2.clientSecret);
  return { oauth2: { ...oauth2, clientSecret } };
}
