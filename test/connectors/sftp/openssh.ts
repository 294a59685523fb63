import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { Secret } from '../../../src/base/secrets/secret.js';
import type { SftpAccess } from '../../../src/base/settings/sftp-access.js';
import { closeAfterTest } from '../../closing.js';
import { findFreePort } from '../../free-ports.js';
import { findTool } from '../../tools.js';

/** A real OpenSSH server on loopback, run as the current user. */
export interface OpenSsh {
  readonly port: number;
  readonly username: string;
  /** The folder for deliveries, reached over SFTP by its path. */
  readonly drop: string;
  /** The private key for logging in. `locked.key` next to it also works, with the passphrase `open sesame`. */
  readonly keyFile: string;
  readonly lockedKeyFile: string;
  /** In the format of ssh-keygen. */
  readonly fingerprint: string;
  readonly access: SftpAccess;
}

/** @param sftp options of OpenSSH’s sftp-server, such as `-R` for a read-only server */
export async function startOpenSsh(sftp = ''): Promise<OpenSsh> {
  const sshd = findTool('sshd');
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-sshd-'));
  const drop = join(folder, 'drop');
  mkdirSync(drop);
  // sshd needs this folder to drop its privileges. Normally the service that is not started here creates it.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const [hostKey, keyFile, lockedKeyFile] = ['host', 'user', 'locked'].map((name) => join(folder, `${name}.key`)) as [
    string,
    string,
    string,
  ];
  makeKey(hostKey, '');
  makeKey(keyFile, '');
  makeKey(lockedKeyFile, 'open sesame');
  const keys = [keyFile, lockedKeyFile].map((file) => readFileSync(`${file}.pub`, 'utf8')).join('');
  writeFileSync(join(folder, 'authorized_keys'), keys, { mode: 0o600 });
  const port = await findFreePort();
  const config = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${hostKey}`,
    `AuthorizedKeysFile ${join(folder, 'authorized_keys')}`,
    `PidFile ${join(folder, 'sshd.pid')}`,
    'UsePAM no',
    'StrictModes no',
    'PermitRootLogin yes',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'Subsystem sftp internal-sftp',
    `ForceCommand internal-sftp ${sftp}`,
    '',
  ];
  writeFileSync(join(folder, 'sshd_config'), config.join('\n'));
  await startServer(sshd, join(folder, 'sshd_config'), folder);
  const fingerprint = execFileSync('ssh-keygen', ['-lf', `${hostKey}.pub`], { encoding: 'utf8' }).split(' ')[1] ?? '';
  const { username } = userInfo();
  const access = {
    host: '127.0.0.1',
    port,
    path: drop,
    username,
    login: { privateKey: new Secret(readFileSync(keyFile, 'utf8')) },
    hostKeys: [fingerprint],
    timeoutMs: 20_000,
  };
  return { port, username, drop, keyFile, lockedKeyFile, fingerprint, access };
}

function makeKey(file: string, passphrase: string): void {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-C', 'test', '-f', file]);
}

async function startServer(sshd: string, config: string, folder: string): Promise<void> {
  const server = spawn(sshd, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()));
  closeAfterTest({
    close: async () => {
      server.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  });
  await new Promise<void>((resolve, reject) => {
    let log = '';
    server.stderr.on('data', (chunk) => {
      log += String(chunk);
      if (log.includes('Server listening')) resolve();
    });
    server.once('error', reject);
    server.once('close', () => reject(new Error(`sshd ended: ${log}`)));
  });
}
