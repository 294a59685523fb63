import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { stringify } from 'yaml';
import { Secret } from '../../src/base/secrets/secret.js';
import { openPages } from '../../src/cli/open-pages.js';
import { buildProgram } from '../../src/cli/program.js';
import type { Daemon } from '../../src/daemon/daemon.js';
import { type Backend, openBackend } from '../../src/daemon/tenants/backend.js';
import { openPostgres } from '../../src/store/remote/postgres.js';
import { preparePostgres } from '../../src/store/remote/prepare.js';
import { closeAfterTest } from '../closing.js';
import { type Postgres, startPostgres } from '../postgres.js';
import type { Yaml } from '../scenarios/company.js';
import { createCapture } from '../scenarios/kit.js';
import { type Fleet, openFleet } from './fleet.js';

/** A PostgreSQL server with the tables of talent-sync. */
export async function startPrepared(): Promise<Postgres> {
  const server = await startPostgres();
  const postgres = openPostgres({ url: new Secret(server.url), tls: null, connections: 1 });
  await preparePostgres(postgres);
  await postgres.close();
  return server;
}

export interface NodeOptions {
  readonly fetch?: typeof globalThis.fetch;
  /** How long its process was suspended while clocks continued. */
  readonly stoppedMs?: () => number;
  /** The key of `backend:`. Without one, PostgreSQL can read the stored data. */
  readonly key?: string;
  /** The number of tenants that may run at the same time. */
  readonly parallel?: number;
  /** The operator pages, with these as `web:` of daemon.yaml. */
  readonly web?: { readonly [name: string]: Yaml };
}

/** A machine with the same configurations and sources as the others, and a disk of its own. */
export interface Machine {
  readonly disk: string;
  /** The folder of the configurations. */
  readonly target: string;
  /** The folder of a tenant's state. */
  state(tenant: string): string;
  /**
   * Types a command, on acme unless it names a configuration. Use it on machines without a daemon: in one process, both
   * would share copies.
   */
  type(...words: readonly string[]): Promise<Typed>;
}

/** A machine with a running daemon. */
export interface FleetNode extends Machine {
  readonly daemon: Daemon;
  /** The address of the pages; empty without pages. */
  readonly url: string;
  readonly backend: Backend;
  /** Claims due or requested work until none is left. */
  claim(): Promise<void>;
  /** From now on it claims by itself, as a process does. */
  keepClaiming(): void;
}

interface Typed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RemoteFleet {
  readonly fleet: Fleet;
  openMachine(name: string, options?: Omit<NodeOptions, 'fetch' | 'stoppedMs'>): Machine;
  openNode(name: string, options?: NodeOptions): Promise<FleetNode>;
  /** Makes the next slot of all tenants due. */
  wait(): Promise<void>;
  /** Lets the leases of all holders expire. */
  lose(): Promise<void>;
}

/**
 * Daemons that share one PostgreSQL and the tenants of a fleet. The story must be in the future: PostgreSQL compares its
 * slots with its own clock, and a slot in the past makes a tenant due even before `wait()`.
 */
export async function openRemoteFleet(server: Postgres, startIso: string): Promise<RemoteFleet> {
  if (Date.parse(startIso) < Date.now()) throw new Error(`${startIso} is in the past: every slot would be due`);
  const fleet = await openFleet(startIso);
  const { clock, logger } = fleet;
  fleet.env.DATABASE_URL = server.url;

  function openMachine(name: string, { key, web }: NodeOptions = {}): Machine & { readonly env: NodeJS.ProcessEnv } {
    const disk = join(fleet.folder, name);
    const target = join(disk, 'tenants');
    mkdirSync(disk);
    symlinkSync(join(fleet.folder, 'drop'), join(disk, 'drop'));
    cpSync(join(fleet.folder, 'tenants'), target, { recursive: true });
    const named = key === undefined ? {} : { key: { env: 'STATE_KEY' } };
    const backend = { postgres: { url: { env: 'DATABASE_URL' }, tls: 'off', ...named } };
    writeFileSync(join(target, 'daemon.yaml'), stringify({ backend, ...(web === undefined ? {} : { web }) }));
    const env = { ...fleet.env, NO_COLOR: '1', ...(key === undefined ? {} : { STATE_KEY: key }) };
    return {
      ...{ disk, target, env, state: (tenant) => join(disk, 'state', tenant) },
      async type(...words) {
        const [stdout, stderr] = [createCapture(), createCapture()];
        let code = -1;
        const setExitCode = (given: number): void => {
          code = given;
        };
        const streams = { stdout: stdout.stream, stderr: stderr.stream };
        const program = buildProgram({ ...streams, env, clock, setExitCode, exit: () => undefined });
        const place = words.includes('--config') ? [] : ['--config', join(target, 'acme.yaml')];
        await program.parseAsync([...words, ...place], { from: 'user' });
        return { code, stdout: stdout.text(), stderr: stderr.text() };
      },
    };
  }

  async function openNode(name: string, options: NodeOptions = {}): Promise<FleetNode> {
    const { fetch, key, parallel = 4, stoppedMs = () => 0 } = options;
    const { env, ...machine } = openMachine(name, options);
    const { target } = machine;
    const backend = openBackend({
      settings: {
        ...{ url: new Secret(server.url), ca: null, isEncrypted: false },
        key: key === undefined ? null : new Secret(key),
      },
      holder: name,
      clock: { now: () => Date.now() + stoppedMs(), monotonic: () => performance.now() + stoppedMs() },
      logger,
    });
    closeAfterTest(backend);
    const daemon = fleet.openDaemon({ target, backend, parallel, ...(fetch === undefined ? {} : { fetch }) });
    closeAfterTest({ close: () => daemon.stop() });
    const pages = await openPages({ target, env, isLocal: false, clock, logger, daemon, share: backend.share });
    if (pages !== null) closeAfterTest(pages);
    await daemon.start();
    return {
      ...machine,
      daemon,
      backend,
      url: pages?.url ?? '',
      async claim() {
        await daemon.claim();
        await daemon.idle();
      },
      keepClaiming() {
        const timer = setInterval(() => void daemon.claim(), CLAIM_MS);
        closeAfterTest({ close: () => clearInterval(timer) });
      },
    };
  }
  return {
    fleet,
    openMachine,
    openNode,
    wait: async () => void (await server.ask("UPDATE tenant SET next_slot = now() - interval '1 h'")),
    lose: async () =>
      void (await server.ask(
        "UPDATE tenant SET lease_until = now() - interval '5 min', next_slot = now() - interval '1 h'",
      )),
  };
}

/** Shorter than in a real process, to save time. */
const CLAIM_MS = 100;

/** Polls until the condition is met, for at most a minute. @throws Error if it never is */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let left = 1_200; left > 0; left--) {
    if (await isSo()) return;
    await setTimeout(50);
  }
  throw new Error('it never was so');
}
