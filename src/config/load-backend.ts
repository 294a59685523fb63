import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { messageOf } from '../base/errors.js';
import type { Secret } from '../base/secrets/secret.js';
import { secretSchema, text } from '../base/settings/schema-parts.js';
import { configError } from './load.js';
import { DAEMON_FILE, DAEMON_KEYS, openDaemonFile } from './load-web.js';
import { createSecretReader } from './secrets.js';
import { checkShape } from './yaml/check-shape.js';

/** The PostgreSQL database that stores the states, so that any daemon can use them. */
export interface BackendSettings {
  /** `postgres://user:password@host:5432/database` */
  readonly url: Secret;
  /** PEM of the authority that signs the server's certificate; null for the authorities that the system trusts. */
  readonly ca: string | null;
  /** The key that encrypts content before it is sent to PostgreSQL; null if PostgreSQL may read the content. */
  readonly key: Secret | null;
  /** True if the connection is encrypted and the server must show a valid certificate. */
  readonly isEncrypted: boolean;
}

export const backendSchema = z.strictObject({
  postgres: z.strictObject({
    url: secretSchema.describe('The address with user and password: postgres://talent:…@db.example.com:5432/talent.'),
    ca: text
      .optional()
      .describe("File with the certificate of the server's authority; without it, the system's authorities."),
    key: secretSchema
      .optional()
      .describe('32 characters or more: encrypts what is stored, so that PostgreSQL cannot read it.'),
    tls: z
      .enum(['verify', 'off'])
      .default('verify')
      .describe(
        'verify: encrypted, with a valid certificate; off: for a socket, or a network that encrypts by itself.',
      ),
  }),
});

/**
 * Loads `backend:` from `daemon.yaml` in a folder of tenants.
 *
 * @param env null if the secret is not needed and not read
 * @returns null without a backend: each state is a folder on one machine
 * @throws SyncError SYNC_CONFIG_UNREADABLE, SYNC_CONFIG_INVALID, SYNC_CONFIG_SECRET
 */
export function loadBackend(target: string, env: NodeJS.ProcessEnv | null): BackendSettings | null {
  const file = join(resolve(target), DAEMON_FILE);
  if (!statSync(resolve(target), { throwIfNoEntry: false })?.isDirectory()) return null;
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return null;
  const { data, report } = openDaemonFile(file, 'Begin with `backend:`; docs/guides/many-tenants.md has an example.');
  const schema = z.strictObject({ ...DAEMON_KEYS, backend: backendSchema.optional() });
  const { backend } = checkShape(schema, data, report);
  const settings = backend?.postgres;
  const readSecret = createSecretReader(dirname(file), env, report);
  const url = settings?.url === undefined ? null : readSecret(['backend', 'postgres', 'url'], settings.url);
  const key = settings?.key === undefined ? null : readSecret(['backend', 'postgres', 'key'], settings.key);
  if (key !== null && key.reveal().length < SHORTEST_KEY)
    report.add(
      ['backend', 'postgres', 'key'],
      'it is too short',
      `Use ${SHORTEST_KEY} characters or more, for example from \`openssl rand -hex 32\`.`,
    );
  const ca = settings?.ca === undefined ? null : readCa(resolve(dirname(file), settings.ca));
  if (ca instanceof Error) {
    const remedy = 'Name an existing file that you can read, with a certificate in PEM.';
    report.add(['backend', 'postgres', 'ca'], `it cannot be read: ${messageOf(ca)}`, remedy);
  }
  if (report.problems.length > 0) throw configError(file, report);
  if (url === null || ca instanceof Error) return null;
  return { url, ca, key, isEncrypted: settings?.tls !== 'off' };
}

const SHORTEST_KEY = 32;

function readCa(file: string): string | Error {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
