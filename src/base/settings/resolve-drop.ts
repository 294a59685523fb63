import { resolve } from 'node:path';
import { Secret } from '../secrets/secret.js';
import { parseDuration } from './duration.js';
import type { ReadSecret, Resolving, YamlPath } from './resolving.js';
import type { SftpAccess } from './sftp-access.js';
import type { SftpInput } from './sftp-schema.js';

/** A folder that contains files. */
export interface DropPlace {
  /** The absolute path of the folder, or its SFTP address. */
  readonly drop: string;
  /** Set if `drop` is an address. */
  readonly sftp: SftpAccess | null;
}

/** Resolves a drop, which is a folder or an address such as `sftp://host:22/path` with its login. */
export function resolveDrop(
  path: YamlPath,
  { drop, sftp }: { readonly drop: string; readonly sftp?: SftpInput | undefined },
  { folder, readSecret, report }: Resolving,
): DropPlace {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(drop)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    if (sftp !== undefined) report.add([...path, 'sftp'], '`sftp` has no effect for a folder', 'Remove it.', 'key');
    return { drop: resolve(folder, drop), sftp: null };
  }
  const address = scheme === 'sftp' ? parseAddress(drop) : null;
  if (address === null) {
    const message =
      scheme === 'sftp'
        ? '`drop` is not the address of a folder'
        : `\`drop\` has an address of an unsupported kind (${scheme})`;
    report.add([...path, 'drop'], message, 'Name a folder, or write it as sftp://sftp.example.com:22/outbox.');
    return { drop, sftp: null };
  }
  if (sftp === undefined) {
    report.add(
      [...path, 'drop'],
      '`drop` is an address, but `sftp` does not specify how to log in',
      'Add `sftp: { … }`.',
    );
    return { drop, sftp: null };
  }
  return { drop, sftp: { ...address, ...resolveLogin([...path, 'sftp'], sftp, readSecret) } };
}

/** A path that begins with `/~/` is relative to the login's home folder. */
function parseAddress(drop: string): Pick<SftpAccess, 'host' | 'port' | 'path'> | null {
  const match = /^sftp:\/\/(\[[0-9a-f:.]+\]|[^\s/@:?#]+)(?::(\d{1,5}))?(\/[^\s?#]*)?$/i.exec(drop);
  if (match === null) return null;
  const [, host = '', port = '22', path = '/'] = match;
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port),
    path: path.startsWith('/~/') ? path.slice(3) || '.' : path,
  };
}

function resolveLogin(
  path: YamlPath,
  input: SftpInput,
  readSecret: ReadSecret,
): Omit<SftpAccess, 'host' | 'port' | 'path'> {
  const { username, password, private_key: privateKey, passphrase, host_key: hostKey = [] } = input;
  const read = (name: string, secret: NonNullable<typeof password>): Secret => readSecret([...path, name], secret);
  return {
    username,
    login:
      privateKey === undefined
        ? { password: password === undefined ? new Secret('') : read('password', password) }
        : {
            privateKey: read('private_key', privateKey),
            ...(passphrase === undefined ? {} : { passphrase: read('passphrase', passphrase) }),
          },
    hostKeys: typeof hostKey === 'string' ? [hostKey] : hostKey,
    timeoutMs: parseDuration(input.timeout),
  };
}
