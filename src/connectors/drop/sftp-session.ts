import { connect as connectSocket, type Socket } from 'node:net';
import type SftpClient from 'ssh2-sftp-client';
import type { Clock } from '../../base/clock.js';
import { messageOf, SyncError } from '../../base/errors.js';
import type { SftpAccess } from '../../base/settings/sftp-access.js';
import { sha256 } from '../../model/sha256.js';
import type { SftpWire } from './sftp-upload.js';

/** The pauses before the second and the third attempt. */
const RETRY_WAITS_MS = [1_000, 4_000];

/**
 * Runs one call over the open connection or a new one. `isAgain` means that an earlier attempt may have succeeded.
 * `discard` receives the result of an attempt that ended after its connection broke.
 */
export type RunSftp = <T>(
  work: (client: SftpClient, isAgain: boolean, wire: SftpWire) => Promise<T>,
  discard?: (made: T) => Promise<void>,
) => Promise<T>;

export interface SftpSession {
  readonly run: RunSftp;
  close(): Promise<void>;
}

interface SftpConnection {
  readonly client: SftpClient;
  readonly wire: SftpWire;
  readonly socket: Socket;
  /** Rejects when the connection is lost, because the client's own calls may then never return. */
  readonly broken: Promise<never>;
}

/**
 * Manages one connection, which is opened when first needed and reopened when it breaks. It breaks after a reset, after
 * `timeoutMs` without a byte, or after a truncated transfer. Each call gets three attempts. An error that the server
 * reports (no such file, no permission) does not count as a broken connection.
 */
export function createSftpSession(access: SftpAccess, clock: Clock, signal?: AbortSignal): SftpSession {
  let linking: Promise<SftpConnection> | null = null;

  function forget(link: Promise<SftpConnection>): void {
    if (linking === link) linking = null;
  }

  function use(): Promise<SftpConnection> {
    if (linking !== null) return linking;
    const made = openLink(access, signal);
    linking = made;
    made.then(
      ({ broken }) => broken.catch(() => forget(made)),
      () => forget(made),
    );
    return made;
  }

  const run: RunSftp = async (work, discard) => {
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted();
      const link = use();
      try {
        const { client, wire, broken } = await link;
        const made = work(client, attempt > 0, wire);
        return await Promise.race([made, broken]).catch((error: unknown) => {
          made.then(discard).catch(() => undefined);
          throw error;
        });
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof SyncError || isAnswer(error)) throw error;
        forget(link);
        link.then(({ socket }) => socket.destroy()).catch(() => undefined);
        const waitMs = RETRY_WAITS_MS[attempt];
        if (waitMs === undefined) throw refuseDown(access, error);
        await clock.sleep(waitMs, signal);
      }
    }
  };

  return {
    run,
    close: async () => {
      const link = await linking?.catch(() => null);
      linking = null;
      link?.socket.destroy();
    },
  };
}

async function openLink(access: SftpAccess, signal?: AbortSignal): Promise<SftpConnection> {
  // The client is loaded only when needed, because its many modules would slow down every start.
  const { default: Client } = await import('ssh2-sftp-client');
  const socket = connectSocket({ host: access.host, port: access.port });
  const stop = (): void => void socket.destroy(new Error('stopped'));
  signal?.addEventListener('abort', stop, { once: true });
  socket.setTimeout(access.timeoutMs, () =>
    socket.destroy(new Error(`no answer for ${Math.round(access.timeoutMs / 100) / 10} s`)),
  );
  const broken = new Promise<never>((_, reject) => {
    socket.once('error', reject);
    socket.once('close', () => {
      signal?.removeEventListener('abort', stop);
      reject(new Error('the connection was closed'));
    });
  });
  broken.catch(() => undefined);
  const shown: string[] = [];
  const client = new Client('sftp', { error: () => {}, end: () => {}, close: () => {} });
  try {
    await Promise.race([new Promise<void>((resolve) => socket.once('connect', () => resolve())), broken]);
    const ready = client.connect({
      sock: socket,
      username: access.username,
      ...revealLogin(access.login),
      readyTimeout: access.timeoutMs,
      hostVerifier: (key: Buffer) => {
        shown.push(fingerprint(key));
        return access.hostKeys.includes(shown[0] ?? '');
      },
    });
    const wire = await Promise.race([ready, broken]);
    return { client, wire, socket, broken };
  } catch (error) {
    socket.destroy();
    const [key] = shown;
    if (key !== undefined && !access.hostKeys.includes(key)) throw refuseHostKey(access, key);
    if (/authentication methods failed/i.test(String(error))) throw refuseLogin(access);
    throw error;
  }
}

function revealLogin(login: SftpAccess['login']): { password: string } | { privateKey: string; passphrase?: string } {
  if ('password' in login) return { password: login.password.reveal() };
  const { privateKey, passphrase } = login;
  // A key file ends with a line break, without which some versions of the format cannot be read.
  const key = `${privateKey.reveal()}\n`;
  return passphrase === undefined ? { privateKey: key } : { privateKey: key, passphrase: passphrase.reveal() };
}

/** Prints a key as `ssh-keygen -lf` does. */
function fingerprint(key: Buffer): string {
  return `SHA256:${sha256(key, 'base64').replace(/=+$/, '')}`;
}

/**
 * True for an error that the server reported, which excludes "no connection" and "connection lost". The client uses its
 * own names for some error codes.
 */
function isAnswer(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'number' ? code < 6 || code > 7 : code === 'ENOENT' || code === 'EACCES';
}

function addressOf({ host, port }: SftpAccess): string {
  return `sftp://${host}:${port}`;
}

function refuseHostKey(access: SftpAccess, found: string): SyncError {
  const known = access.hostKeys.length === 0 ? 'names none' : `has ${access.hostKeys.join(', ')}`;
  return new SyncError('SYNC_SOURCE_HOST_KEY', {
    message: `The server shows the host key ${found}; the configuration ${known}.`,
    place: addressOf(access),
    remedy: `Ask the server's operator for its fingerprint (\`ssh-keygen -lf\` of its public host key). Only if it is the same, set \`host_key: ${found}\`; otherwise somebody is intercepting the connection.`,
  });
}

function refuseLogin(access: SftpAccess): SyncError {
  return new SyncError('SYNC_SOURCE_DENIED', {
    message: `The server rejects ${'password' in access.login ? 'the password' : 'the key'} of ${access.username}.`,
    place: addressOf(access),
    remedy: 'Renew the password or key, and check that the server has it for this user.',
  });
}

function refuseDown(access: SftpAccess, error: unknown): SyncError {
  return new SyncError('SYNC_SOURCE_DOWN', {
    message: `The server did not answer after three tries: ${messageOf(error)}.`,
    place: addressOf(access),
    remedy: 'Check that it can be reached from here; the next run tries again.',
    cause: error,
  });
}
