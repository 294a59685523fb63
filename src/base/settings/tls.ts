import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import { codeOf } from '../errors.js';
import { Secret } from '../secrets/secret.js';
import type { ProblemSink, Resolving, YamlPath } from './resolving.js';
import { secretSchema, text } from './schema-parts.js';

/** The trusted authority and the client certificate. */
export const tlsSchema = z
  .strictObject({
    ca: text.optional().describe('PEM file of a private authority, trusted instead of the public ones.'),
    cert: text.optional().describe('PEM file of the client certificate.'),
    key: text.optional().describe("PEM file of the client certificate's key."),
    passphrase: secretSchema.optional(),
  })
  .refine((tls) => (tls.cert === undefined) === (tls.key === undefined), {
    error: 'a client certificate needs both cert and key',
  });

/** The content of PEM files. */
export interface TlsSettings {
  /** A private authority, trusted instead of the public ones. */
  readonly ca: string | null;
  /** The client certificate for the server (mutual TLS). */
  readonly client: { readonly cert: string; readonly key: Secret; readonly passphrase: Secret | null } | null;
}

export function resolveTls(
  path: YamlPath,
  { ca, cert, key, passphrase }: z.infer<typeof tlsSchema>,
  { folder, readSecret, report }: Resolving,
): TlsSettings {
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
