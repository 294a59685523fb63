import type { Secret } from '../secrets/secret.js';

/** How to reach a folder on an SFTP server, with its secrets read. */
export interface SftpAccess {
  readonly host: string;
  readonly port: number;
  /** An absolute path, or a path relative to the login's home folder. */
  readonly path: string;
  readonly username: string;
  readonly login: { readonly password: Secret } | { readonly privateKey: Secret; readonly passphrase?: Secret };
  /** Accepted fingerprints of the server, `SHA256:…`. If there are none, nothing is read. */
  readonly hostKeys: readonly string[];
  /** How long the server may send nothing, in milliseconds. */
  readonly timeoutMs: number;
}
