import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { findFreePort } from './free-ports.js';
import { findTool } from './tools.js';

/** A PostgreSQL server of a test, with one empty database. */
export interface Postgres {
  /** `postgres://talent@127.0.0.1:5433/talent` */
  readonly url: string;
  readonly port: number;
  /** As its administrator. */
  ask(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** Commits stay; connections are cut. */
  stop(): Promise<void>;
  /** The same as a machine that loses its power. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

interface PostgresOptions {
  /** PEM: then nobody is let in over a wire in the clear but its administrator. */
  readonly tls?: { readonly cert: string; readonly key: string } | null;
}

/** Servers do not run as root. */
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** Tests need no waiting for the disk, and no work in the background. */
const SETTINGS = ['fsync=off', 'full_page_writes=off', 'shared_buffers=16MB', 'autovacuum=off', 'max_connections=60'];

/** A server of the machine's PostgreSQL in a temporary folder; the test is reported as not run where there is none. */
export async function startPostgres({ tls = null }: PostgresOptions = {}): Promise<Postgres> {
  const program = findTool('postgres');
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  if (isRoot) {
    // Its own user has to reach it.
    for (const above of [folder, dirname(folder)]) chmodSync(above, 0o711);
    chownSync(folder, NOBODY, NOBODY);
  }
  const data = join(folder, 'data');
  const init = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(dirname(program), 'initdb'), init, { ...user, stdio: 'ignore', cwd: folder });
  const port = await findFreePort();
  const settings = tls === null ? [] : ['ssl=on'];
  if (tls !== null) {
    for (const [name, text] of Object.entries({ 'server.crt': tls.cert, 'server.key': tls.key })) {
      writeFileSync(join(data, name), text, { mode: 0o600 });
      if (isRoot) chownSync(join(data, name), NOBODY, NOBODY);
    }
  }
  const options = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`];
  const args = ['-D', data, ...[...options, ...SETTINGS, ...settings].flatMap((one) => ['-c', one])];
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

  await start();
  await askIn('postgres', 'CREATE ROLE talent LOGIN');
  await askIn('postgres', 'CREATE DATABASE talent OWNER talent');
  return {
    url: `postgres://talent@127.0.0.1:${port}/talent`,
    port,
    ask: (text, values) => askIn('talent', text, values),
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
