import type { Secret } from '../secrets/secret.js';

/** How a folder of an SFTP server is reached, with its secrets read. */
export interface SftpAccess {
  readonly host: string;
  readonly port: number;
  /** Absolute, or relative to where the login ends up. */
  readonly path: string;
  readonly username: string;
  readonly login: { readonly password: Secret } | { readonly privateKey: Secret; readonly passphrase?: Secret };
  /** `SHA256:…`, any of which the server may show; with none of them nothing is read. */
  readonly hostKeys: readonly string[];
  /** How long the server may be silent. */
  readonly timeoutMs: number;
}
