import type { Secret } from '../secrets/secret.js';

/** How to reach a folder on an SFTP server, with its secrets read. */
export interface SftpAccess {
  readonly host: string;
  readonly port: number;
  /** Absolute, or relative to the folder after the login. */
  readonly path: string;
  readonly username: string;
  readonly login: { readonly password: Secret } | { readonly privateKey: Secret; readonly passphrase?: Secret };
  /** Accepted fingerprints of the server, `SHA256:…`; without any, nothing is read. */
  readonly hostKeys: readonly string[];
  /** How long the server may be silent, in milliseconds. */
  readonly timeoutMs: number;
}
