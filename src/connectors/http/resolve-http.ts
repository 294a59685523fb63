import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { codeOf } from '../../errors.js';
import { Secret } from '../../secrets/secret.js';
import { resolveProxy } from '../../settings/proxy.js';
import type { ProblemSink, ReadSecret, Resolving, YamlPath } from '../../settings/resolving.js';
import type { HttpAccessInput } from './http-schema.js';

/** How an outside system is reached over HTTP, with its secrets and certificates read. */
export type HttpAccess = Readonly<ReturnType<typeof resolveHttpAccess>>;

export function resolveHttpAccess(path: YamlPath, input: HttpAccessInput, resolving: Resolving) {
  const { auth, tls, proxy, timeout, max_answer } = input;
  const { readSecret } = resolving;
  return {
    auth: auth === undefined ? null : resolveAuth([...path, 'auth'], auth, readSecret),
    tls: tls === undefined ? null : resolveTls([...path, 'tls'], tls, resolving),
    proxy: proxy === undefined ? null : resolveProxy([...path, 'proxy'], proxy, readSecret),
    timeoutMs: timeout,
    /** Bytes of one answer after decompression; null for the usual limits. */
    maxAnswerBytes: max_answer,
  };
}

type AuthInput = NonNullable<HttpAccessInput['auth']>;
type OAuth2Input = NonNullable<AuthInput['oauth2']>;
export type OAuth2Settings = Readonly<Omit<OAuth2Input, 'clientSecret'> & { clientSecret: Secret }>;
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

/** PEM texts: of a private authority, trusted instead of the public ones, and of what is shown to the server (mutual TLS). */
function resolveTls(
  path: YamlPath,
  { ca, cert, key, passphrase }: NonNullable<HttpAccessInput['tls']>,
  { folder, readSecret, report }: Resolving,
) {
  const read = (name: string, file: string): string => readPem([...path, name], file, resolve(folder, file), report);
  const authority = ca === undefined ? null : read('ca', ca);
  if (cert === undefined || key === undefined) return { ca: authority, client: null };
  const phrase = passphrase === undefined ? null : readSecret([...path, 'passphrase'], passphrase);
  return { ca: authority, client: { cert: read('cert', cert), key: new Secret(read('key', key)), passphrase: phrase } };
}

function readPem(path: YamlPath, written: string, file: string, report: ProblemSink): string {
  let content = '';
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    const code = codeOf(error) ?? 'unknown';
    report.add(path, `the file ${written} cannot be read (${code})`, `Mount or create ${file}.`);
    return '';
  }
  if (!content.includes('-----BEGIN ')) {
    report.add(path, `the file ${written} is not PEM: it has no -----BEGIN line`, 'Convert it with `openssl x509`.');
  }
  return content;
}
