import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { codeOf } from '../../errors.js';
import { Secret } from '../../secrets/secret.js';
import { parseDuration, parseSize } from '../../settings/duration.js';
import type { ProblemSink, ReadSecret, Resolving, YamlPath } from '../../settings/resolving.js';
import type { HttpAccess, HttpAuth, TlsSettings } from './http-access.js';
import type { HttpAccessInput } from './http-schema.js';

/** How a system is reached over HTTP, with its secrets and certificates read. */
export function resolveHttpAccess(
  path: YamlPath,
  { auth, tls, proxy, timeout, max_answer }: HttpAccessInput,
  resolving: Resolving,
): HttpAccess {
  const { readSecret } = resolving;
  return {
    auth: auth === undefined ? null : resolveAuth([...path, 'auth'], auth, readSecret),
    tls: tls === undefined ? null : resolveTls([...path, 'tls'], tls, resolving),
    proxy:
      proxy === undefined
        ? null
        : {
            url: proxy.url,
            login:
              proxy.username === undefined
                ? null
                : {
                    username: proxy.username,
                    password:
                      proxy.password === undefined
                        ? new Secret('')
                        : readSecret([...path, 'proxy', 'password'], proxy.password),
                  },
          },
    timeoutMs: parseDuration(timeout),
    maxAnswerBytes: max_answer === undefined ? null : parseSize(max_answer),
  };
}

function resolveAuth(
  path: YamlPath,
  { bearer, basic, header, oauth2 }: NonNullable<HttpAccessInput['auth']>,
  readSecret: ReadSecret,
): HttpAuth | null {
  if (bearer !== undefined) return { bearer: readSecret([...path, 'bearer'], bearer) };
  if (basic !== undefined) {
    return {
      basic: { username: basic.username, password: readSecret([...path, 'basic', 'password'], basic.password) },
    };
  }
  if (header !== undefined) {
    return { header: { name: header.name, value: readSecret([...path, 'header', 'value'], header.value) } };
  }
  if (oauth2 === undefined) return null;
  return {
    oauth2: {
      tokenUrl: oauth2.token_url,
      clientId: oauth2.client_id,
      clientSecret: readSecret([...path, 'oauth2', 'client_secret'], oauth2.client_secret),
      scope: oauth2.scope ?? null,
      parameters: oauth2.parameters,
      clientAuth: oauth2.client_auth,
    },
  };
}

function resolveTls(
  path: YamlPath,
  { ca, cert, key, passphrase }: NonNullable<HttpAccessInput['tls']>,
  { folder, readSecret, report }: Resolving,
): TlsSettings {
  const read = (name: string, file: string): string => readPem([...path, name], file, resolve(folder, file), report);
  return {
    ca: ca === undefined ? null : read('ca', ca),
    client:
      cert === undefined || key === undefined
        ? null
        : {
            cert: read('cert', cert),
            key: new Secret(read('key', key)),
            passphrase: passphrase === undefined ? null : readSecret([...path, 'passphrase'], passphrase),
          },
  };
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
