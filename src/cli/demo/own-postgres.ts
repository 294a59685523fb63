import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf, SyncError } from '../../base/errors.js';

/** A PostgreSQL server for the demo only, in its own folder. Only this machine can reach it, through a socket. */
export interface OwnPostgres {
  readonly url: string;
  close(): Promise<void>;
}

/** PostgreSQL does not run as root, so it gets this user id. */
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** Folders where packages install PostgreSQL, by version. The folders are rarely on the PATH. */
const PLACES = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt', '/usr'];
const VERSIONED = /^(?:\d+|postgresql@\d+|pgsql-\d+)$/;

/**
 * @param fsync `off`: the data need not survive a crash of the machine
 * @throws SyncError SYNC_CLI_USAGE if PostgreSQL is not installed or does not start
 */
export async function startOwnPostgres(
  folder: string,
  env: NodeJS.ProcessEnv,
  fsync: 'on' | 'off' = 'off',
): Promise<OwnPostgres> {
  const program = findPostgres(env);
  const place = join(folder, 'postgres');
  await mkdir(place);
  if (isRoot) {
    await chmod(folder, 0o711);
    await chown(place, NOBODY, NOBODY);
  }
  const data = join(place, 'data');
  const init = ['-D', data, '-U', 'talent', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)(join(dirname(program), 'initdb'), init, { ...user, cwd: place }).catch((error: unknown) => {
    throw failed(messageOf(error), place);
  });
  const settings = ['listen_addresses=', `unix_socket_directories=${place}`, `fsync=${fsync}`, 'shared_buffers=16MB'];
  const server = spawn(program, ['-D', data, ...settings.flatMap((one) => ['-c', one])], {
    // Ctrl-C goes to the demo, which stops the server.
    ...{ ...user, cwd: place, detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
  });
  const ended = once(server, 'exit');
  let log = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = `${log}${text}`.slice(-5_000);
  });
  while (!log.includes('ready to accept connections')) {
    if (server.exitCode !== null) throw failed(log.trim(), place);
    await Promise.race([once(server.stderr, 'data'), ended]);
  }
  return {
    url: `postgres://talent@localhost/postgres?host=${encodeURIComponent(place)}`,
    async close() {
      server.kill('SIGQUIT');
      await ended;
    },
  };
}

function findPostgres({ POSTGRES: named, PATH = '' }: NodeJS.ProcessEnv): string {
  const versions = PLACES.filter((place) => existsSync(place)).flatMap((place) => {
    const names = readdirSync(place).filter((name) => VERSIONED.test(name));
    return names
      .sort()
      .reverse()
      .map((name) => join(place, name, 'bin'));
  });
  const programs = [...versions, ...PATH.split(delimiter)].map((place) => join(place, 'postgres'));
  const found = (named === undefined ? programs : [named]).find(
    (program) => existsSync(program) && existsSync(join(dirname(program), 'initdb')),
  );
  if (found !== undefined) return found;
  throw new SyncError('SYNC_CLI_USAGE', {
    message: 'This machine has no PostgreSQL server.',
    place: named ?? 'demo --fleet',
    remedy:
      'Install it (Debian and Ubuntu: `apt-get install postgresql`; Fedora: `dnf install postgresql-server`; macOS: `brew install postgresql@17`), or name its program: `POSTGRES=/path/to/postgres`.',
  });
}

function failed(message: string, place: string): SyncError {
  return new SyncError('SYNC_CLI_USAGE', {
    message: `PostgreSQL does not start: ${message}`,
    place,
    remedy: 'Name the program of another version: `POSTGRES=/path/to/postgres`.',
  });
}
