import type { Secret } from '../../secrets/secret.js';

/** How an outside system is reached over HTTP, as configured; every secret is already read. */
export interface HttpAccess {
  readonly auth: HttpAuth | null;
  readonly tls: TlsSettings | null;
  readonly proxy: ProxySettings | null;
  readonly timeoutMs: number;
  /** Bytes of one answer after decompression; null for the usual limits. */
  readonly maxAnswerBytes: number | null;
}

export type HttpAuth =
  | { readonly bearer: Secret }
  | { readonly basic: { readonly username: string; readonly password: Secret } }
  | { readonly header: { readonly name: string; readonly value: Secret } }
  | { readonly oauth2: OAuth2Settings };

/** Client credentials (RFC 6749, section 4.4). */
export interface OAuth2Settings {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly scope: string | null;
  /** More parameters of the token request, such as `audience` or `resource`. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Where id and secret go: in the form, or in an Authorization header (RFC 6749, section 2.3.1). */
  readonly clientAuth: 'form' | 'basic';
}

/** PEM texts. */
export interface TlsSettings {
  /** Of a private authority; trusted instead of the public ones. */
  readonly ca: string | null;
  /** Shown to the server (mutual TLS), with its key. */
  readonly client: { readonly cert: string; readonly key: Secret; readonly passphrase: Secret | null } | null;
}

export interface ProxySettings {
  readonly url: string;
  readonly login: { readonly username: string; readonly password: Secret } | null;
}
