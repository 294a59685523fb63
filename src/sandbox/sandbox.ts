import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type Clock, systemClock } from '../base/clock.js';
import { isDriverFault, messageOf, SyncError } from '../base/errors.js';
import { buildSandboxClock } from './account/sandbox-clock.js';
import type { World } from './account/world.js';
import { parseStamp } from './answers/stamps.js';
import { type AccountRecord, readAccount, writeAccount } from './control/account-record.js';
import { registerControlRoutes } from './control/control-routes.js';
import { dumpState, type StateDump } from './control/dump-state.js';
import type { FixtureInput } from './fixture/fixture.js';
import { openFixtureFile } from './fixture/fixture-file.js';
import { splitFixture } from './fixture/fixture-parts.js';
import { seedWorld } from './fixture/seed.js';
import { watchImportFolder } from './imports/import-folder.js';
import { processImport } from './imports/import-users.js';
import { registerPages } from './pages/register-pages.js';
import { finishReport, processReport } from './reports/process-report.js';
import { CallLog, type LoggedCall } from './server/call-log.js';
import { buildDownloadLimit } from './server/download-limit.js';
import { Faults } from './server/faults.js';
import { RateWindow } from './server/rate-window.js';
import { buildServer } from './server/server.js';
import { createTaskQueue, type TaskQueue } from './server/task-queue.js';
import { createStore, type Store } from './store/store.js';

export interface SandboxOptions {
  /** The initial content of the account. An account in the state file takes precedence. */
  readonly fixture?: FixtureInput;
  /** The initial content as a JSON file, which may have any size. */
  readonly fixtureFile?: string;
  /** File that stores the account. By default, the account is in memory. */
  readonly stateFile?: string;
  /** 0 for any free port, which is the default. */
  readonly port?: number;
  readonly host?: string;
  /** The clock to use, or an ISO 8601 time at which the account's clock starts. */
  readonly clock?: Clock | string;
  /** Overrides `account.rate_limit`. */
  readonly rate?: { readonly requests: number; readonly per_seconds: number };
  /** Folder of CSV files that are imported as if they arrived by SFTP. */
  readonly importDir?: string;
  /** Key of the control API; random by default. */
  readonly controlKey?: string;
}

export interface Sandbox {
  readonly url: string;
  /** Name of a key → the key. */
  readonly keys: Readonly<Record<string, string>>;
  readonly controlKey: string;
  readonly faults: Faults;
  calls(): readonly LoggedCall[];
  resetCalls(): void;
  state(): StateDump;
  /** Sets the account's time, in milliseconds since the epoch. The clock continues from there. */
  setClock(instantMs: number): void;
  close(): Promise<void>;
}

/**
 * Starts the talent service in this process.
 *
 * @throws SyncError SYNC_CONFIG_INVALID if the fixture is invalid
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const base = typeof options.clock === 'object' ? options.clock : systemClock;
  const store = openStore(options.stateFile);
  const imports = createTaskQueue();
  const reports = createTaskQueue();
  let folder: { close(): Promise<void> } | undefined;
  let stopServer = async (): Promise<void> => undefined;
  try {
    const { world, limit } = openWorld(store, options, { base, imports, reports });
    const calls = new CallLog();
    const faults = new Faults();
    const controlKey = options.controlKey || randomBytes(18).toString('base64url');
    const rate = limit && new RateWindow(limit.requests, limit.per_seconds);
    const change = { takeUp: (record: AccountRecord) => takeUp(world, record), resume: () => resumeTasks(world) };
    const parts = { world, calls, faults, clock: base, rate, controlKey, ...change };
    const server = buildServer(parts);
    stopServer = () => server.close();
    registerControlRoutes(server, parts);
    registerPages(server, parts);
    const host = options.host ?? '127.0.0.1';
    await listen(server, options.port ?? 0, host);
    if (options.importDir !== undefined) folder = openImportFolder(world, options.importDir);
    resumeTasks(world);
    const { port } = server.server.address() as AddressInfo;
    return {
      url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
      keys: Object.fromEntries([...world.keys.values()].map((key) => [key.name, key.key])),
      controlKey,
      faults,
      calls: () => calls.list(),
      resetCalls: () => calls.clear(),
      state: () => dumpState(world),
      setClock: (instantMs) => world.clock.set(instantMs),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }

  async function close(): Promise<void> {
    await stopServer();
    await folder?.close();
    await imports.close();
    await reports.close();
    store.close();
  }
}

function openStore(stateFile: string | undefined): Store {
  try {
    return createStore(stateFile ?? ':memory:');
  } catch (error) {
    if (isDriverFault(error)) throw error;
    throw new SyncError('SYNC_STATE_UNUSABLE', {
      message: `The sandbox cannot use its state file: ${messageOf(error)}.`,
      place: stateFile ?? ':memory:',
      remedy: 'Use a file that a sandbox wrote, or a new file in a folder that can be written.',
      cause: error,
    });
  }
}

async function listen(server: FastifyInstance, port: number, host: string): Promise<void> {
  try {
    await server.listen({ port, host });
  } catch (error) {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: `The sandbox cannot listen: ${messageOf(error)}.`,
      place: `${host}:${port}`,
      remedy: 'Use another --port (0 picks a free one) or --host.',
      cause: error,
    });
  }
}

function openImportFolder(world: World, folder: string): { close(): Promise<void> } {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: `The import folder cannot be used: ${messageOf(error)}.`,
      place: folder,
      remedy: 'Set --import-dir to a folder that can be read and written.',
      cause: error,
    });
  }
  return watchImportFolder(world, folder);
}

function readInstant(text: string): number {
  const instant = parseStamp(text);
  if (instant !== undefined) return instant;
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `"${text}" is not an ISO 8601 time.`,
    place: '--clock',
    remedy: 'Write it like 2026-01-31T08:00:00Z.',
  });
}

interface Surroundings {
  readonly base: Clock;
  readonly imports: TaskQueue;
  readonly reports: TaskQueue;
}

type MutableWorld = { -readonly [K in keyof World]: World[K] };

/**
 * Opens the account. This is outside createSandbox because closures there would keep a fixture of 100,000 users in memory while
 * the sandbox runs.
 */
function openWorld(store: Store, options: SandboxOptions, around: Surroundings) {
  const { fixtureFile, fixture = {} } = options;
  const parts = fixtureFile === undefined ? splitFixture(fixture) : openFixtureFile(fixtureFile);
  const record = readAccount(store, parts);
  const startMs = typeof options.clock === 'string' ? readInstant(options.clock) : undefined;
  const world = buildWorld(store, record, around, startMs);
  const { seed } = record;
  if (seed) {
    // Account and content are written in one transaction, so that a failed start leaves an empty file.
    store.write(() => {
      seedWorld(world, seed, parts);
      writeAccount(store, record);
    });
  }
  return { world, limit: options.rate ?? record.account.rate_limit };
}

function buildWorld(
  store: Store,
  { account, keys, customFields, secret }: AccountRecord,
  { base, imports, reports }: Surroundings,
  startMs: number | undefined,
): MutableWorld {
  const world: MutableWorld = {
    account,
    keys: new Map(keys.map((key) => [key.key, key])),
    customFields,
    secret,
    store,
    clock: buildSandboxClock(base, startMs),
    downloads: buildDownloadLimit(),
    scheduleImport: (id, delayMs) => imports.schedule(delayMs, (isStopped) => processImport(world, id, isStopped)),
    scheduleReport: (id) => {
      const half = world.account.reports.delay_ms / 2;
      reports.schedule(half, async (isStopped) => {
        await processReport(world, id, isStopped);
        reports.schedule(half, async () => finishReport(world, id));
      });
    },
  };
  return world;
}

function takeUp(world: MutableWorld, record: AccountRecord): void {
  world.account = record.account;
  world.keys = new Map(record.keys.map((key) => [key.key, key]));
  world.customFields = record.customFields;
  world.secret = record.secret;
  world.store.write(() => writeAccount(world.store, record));
}

/** Continues tasks that were pending when the sandbox stopped or that came with a loaded state. */
function resumeTasks(world: World): void {
  for (const task of world.store.imports.find("WHERE state = 'waiting' ORDER BY id")) world.scheduleImport(task.id, 0);
  for (const report of world.store.reports.find("WHERE state = 'started' ORDER BY id")) world.scheduleReport(report.id);
}
