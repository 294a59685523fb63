import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { findFreePort } from './free-ports.js';
import { findTool } from './tools.js';

/** A PostgreSQL server for a test, with one empty database. */
export interface Postgres {
  /** `postgres://talent@127.0.0.1:5433/talent` */
  readonly url: string;
  readonly port: number;
  /** Runs SQL as its administrator. */
  ask(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** The output of `pg_dump`; null if the machine does not have it. */
  dump(): Buffer | null;
  /** Stops the server. Commits are kept and connections are cut. */
  stop(): Promise<void>;
  /** Stops the server without a shutdown, like a power cut. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

interface PostgresOptions {
  /** A certificate in PEM. With it, only the administrator may connect without encryption. */
  readonly tls?: { readonly cert: string; readonly key: string } | null;
}

/** As root, the user that runs PostgreSQL, because PostgreSQL does not run as root. */
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** Settings that avoid waits for the disk and background work. */
const SETTINGS = ['fsync=off', 'full_page_writes=off', 'shared_buffers=16MB', 'autovacuum=off', 'max_connections=60'];

const LARGEST_DUMP = 2 ** 30;

/** Starts the machine's PostgreSQL in a temporary folder. Without PostgreSQL, the test is reported as skipped. */
export async function startPostgres({ tls = null }: PostgresOptions = {}): Promise<Postgres> {
  const folder = makeFolder();
  const data = join(folder, 'data');
  // The copy keeps owner and permissions.
  execFileSync('cp', ['-a', makeCluster(), data]);
  if (tls !== null) {
    for (const [name, text] of Object.entries({ 'server.crt': tls.cert, 'server.key': tls.key })) {
      writeFileSync(join(data, name), text, { mode: 0o600 });
      if (isRoot) chownSync(join(data, name), NOBODY, NOBODY);
    }
  }
  const server = openServer({ folder, port: await findFreePort(), settings: tls === null ? [] : ['ssl=on'] });
  await server.start();
  await server.askIn('postgres', 'CREATE ROLE talent LOGIN');
  await server.askIn('postgres', 'CREATE DATABASE talent OWNER talent');
  return server;
}

/** A server that replicates another server until it is disconnected. */
export interface Standby {
  /** Resolves when this server has all current data of the other server. */
  caughtUp(): Promise<void>;
  /** Stops receiving, so later commits are lost with the other server. */
  cutOff(): Promise<void>;
  /** Takes over the port of the other server, which was killed. */
  promote(): Promise<Postgres>;
  close(): Promise<void>;
}

/** An asynchronous standby, created with `pg_basebackup`. */
export async function startStandby(primary: Postgres): Promise<Standby> {
  const folder = makeFolder();
  const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres'];
  runTool(
    'pg_basebackup',
    ['-D', join(folder, 'data'), ...from, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'],
    folder,
  );
  const standby = openServer({ folder, port: await findFreePort(), settings: [] });
  await standby.start();
  return {
    async caughtUp() {
      const text = 'SELECT bool_and(replay_lsn >= pg_current_wal_lsn()) AS is_done FROM pg_stat_replication';
      while ((await primary.ask(text))[0]?.is_done !== true) await setTimeout(10);
    },
    async cutOff() {
      // A promotion replays everything that was received, so pausing the replay alone would lose nothing.
      await standby.askIn('postgres', "ALTER SYSTEM SET primary_conninfo = ''");
      await standby.askIn('postgres', 'SELECT pg_reload_conf()');
      const text = 'SELECT count(*)::int AS count FROM pg_stat_wal_receiver';
      while ((await standby.askIn('postgres', text))[0]?.count !== 0) await setTimeout(10);
    },
    async promote() {
      await standby.askIn('postgres', 'SELECT pg_promote()');
      await standby.stop();
      const promoted = openServer({ folder, port: primary.port, settings: [] });
      await promoted.start();
      return promoted;
    },
    close: () => standby.close(),
  };
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  if (isRoot) {
    // The server's own user must be able to reach it.
    for (const above of [folder, dirname(folder)]) chmodSync(above, 0o711);
    chownSync(folder, NOBODY, NOBODY);
  }
  return folder;
}

function runTool(name: string, args: readonly string[], folder: string): void {
  execFileSync(join(dirname(findTool('postgres')), name), args, { ...user, stdio: 'ignore', cwd: folder });
}

/** Empty data files that all tests of a run copy, because `initdb` takes a second. */
function makeCluster(): string {
  const made = join(tmpdir(), 'postgres-cluster');
  if (existsSync(made)) return made;
  const folder = makeFolder();
  const data = join(folder, 'data');
  runTool('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'], folder);
  try {
    renameSync(data, made);
  } catch (error) {
    // Another worker has already created the files.
    if (!existsSync(made)) throw error;
  }
  return made;
}

interface Server extends Postgres {
  askIn(database: string, text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
}

interface ServerPlace {
  /** The folder with its files in `data`. */
  readonly folder: string;
  readonly port: number;
  readonly settings: readonly string[];
}

function openServer({ folder, port, settings }: ServerPlace): Server {
  const program = findTool('postgres');
  const options = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`];
  const args = ['-D', join(folder, 'data'), ...[...options, ...SETTINGS, ...settings].flatMap((one) => ['-c', one])];
  let server: ChildProcess | null = null;

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (server === null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
    server = null;
  }
  async function askIn(database: string, text: string, values: readonly unknown[] = []) {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }
  async function start(): Promise<void> {
    server = spawn(program, args, { ...user, cwd: folder, stdio: 'ignore' });
    for (;;) {
      if (server.exitCode !== null) throw new Error('PostgreSQL did not start');
      const isUp = await askIn('postgres', 'SELECT 1').then(
        () => true,
        () => false,
      );
      if (isUp) return;
      await setTimeout(20);
    }
  }

  return {
    url: `postgres://talent@127.0.0.1:${port}/talent`,
    port,
    askIn,
    ask: (text, values) => askIn('talent', text, values),
    dump() {
      const tool = join(dirname(program), 'pg_dump');
      if (!existsSync(tool)) return null;
      const args = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', 'talent'];
      return execFileSync(tool, args, { maxBuffer: LARGEST_DUMP });
    },
    start,
    stop: () => end('SIGINT'),
    async kill() {
      await end('SIGQUIT');
    },
    async close() {
      await end('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
