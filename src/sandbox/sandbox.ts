import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type Clock, systemClock } from '../clock.js';
import { SyncError } from '../errors.js';
import { CallLog, type LoggedCall } from './call-log.js';
import { registerControlRoutes } from './control-routes.js';
import { dumpState, type StateDump } from './dump-state.js';
import { Faults } from './faults.js';
import { type Fixture, type FixtureInput, type KeySettings, parseFixture } from './fixture.js';
import { processImport } from './import-users.js';
import { RateWindow } from './rate-window.js';
import type { CustomField, World } from './route.js';
import { buildSandboxClock } from './sandbox-clock.js';
import { seedWorld } from './seed.js';
import { buildServer } from './server.js';
import { parseStamp } from './stamps.js';
import { createId, createStore, type Store } from './store.js';

export interface SandboxOptions {
  /** What the account holds at first; a state file that already holds an account wins over it. */
  readonly fixture?: FixtureInput;
  /** Where the account is kept; in memory without it. */
  readonly stateFile?: string;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  readonly host?: string;
  /** A clock to live by, or an ISO 8601 instant from which the account's time runs. */
  readonly clock?: Clock | string;
  /** Replaces `account.rate_limit`. */
  readonly rate?: { readonly requests: number; readonly per_seconds: number };
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
  /** Sets the account's time, milliseconds since the epoch; it runs on from there. */
  setClock(instantMs: number): void;
  close(): Promise<void>;
}

/** Starts the talent service in this process. Throws SYNC_CONFIG_INVALID for a fixture that is not valid. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const base = typeof options.clock === 'object' ? options.clock : systemClock;
  const store = openStore(options.stateFile);
  const imports = createImportQueue();
  try {
    const fixture = readAccount(store, options.fixture ?? {});
    const keys = new Map(fixture.keys.map((key) => [key.key, key]));
    const startMs = typeof options.clock === 'string' ? readInstant(options.clock) : undefined;
    const world: World = {
      account: fixture.account,
      keys,
      customFields: fixture.customFields,
      store,
      clock: buildSandboxClock(base, startMs),
      scheduleImport: (id, delayMs) => imports.schedule(delayMs, (isStopped) => processImport(world, id, isStopped)),
    };
    if (fixture.seed) {
      const { seed } = fixture;
      // Account and content together: a start that fails leaves an empty file, not half an account.
      store.write(() => {
        seedWorld(world, seed);
        writeAccount(store, fixture);
      });
    }
    const calls = new CallLog();
    const faults = new Faults();
    const controlKey = randomBytes(18).toString('base64url');
    const limit = options.rate ?? fixture.account.rate_limit;
    const rate = limit && new RateWindow(limit.requests, limit.per_seconds);
    const parts = { world, calls, faults, clock: base, rate };
    const server = buildServer(parts);
    registerControlRoutes(server, parts, controlKey);
    const host = options.host ?? '127.0.0.1';
    await listen(server, options.port ?? 0, host);
    for (const task of store.imports.find("WHERE state = 'waiting' ORDER BY id")) world.scheduleImport(task.id, 0);
    const { port } = server.server.address() as AddressInfo;
    return {
      url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
      keys: Object.fromEntries(fixture.keys.map((key) => [key.name, key.key])),
      controlKey,
      faults,
      calls: () => calls.list(),
      resetCalls: () => calls.clear(),
      state: () => dumpState(world),
      setClock: (instantMs) => world.clock.set(instantMs),
      close: async () => {
        await server.close();
        await imports.close();
        store.close();
      },
    };
  } catch (error) {
    await imports.close();
    store.close();
    throw error;
  }
}

function openStore(stateFile: string | undefined): Store {
  try {
    return createStore(stateFile ?? ':memory:');
  } catch (error) {
    throw new SyncError('SYNC_STATE_UNUSABLE', {
      message: `The sandbox cannot use its state file: ${error instanceof Error ? error.message : String(error)}.`,
      place: stateFile ?? ':memory:',
      remedy: 'Give a file that can be written, or one that a sandbox wrote.',
      cause: error,
    });
  }
}

async function listen(server: FastifyInstance, port: number, host: string): Promise<void> {
  try {
    await server.listen({ port, host });
  } catch (error) {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: `The sandbox cannot listen: ${error instanceof Error ? error.message : String(error)}.`,
      place: `${host}:${port}`,
      remedy: 'Give another --port (0 takes any free one) or --host.',
      cause: error,
    });
  }
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

interface AccountRecord {
  readonly account: Fixture['account'];
  readonly keys: readonly KeySettings[];
  readonly customFields: readonly CustomField[];
  /** The fixture to fill the store from, when the store was empty. */
  readonly seed?: Fixture;
}

/** The account of the state file, else that of the fixture. */
function readAccount(store: Store, input: FixtureInput): AccountRecord {
  const kept = store.readMeta('account');
  if (kept !== undefined) return JSON.parse(kept) as AccountRecord;
  const seed = parseFixture(input, 'sandbox fixture');
  const random = {
    key: randomBytes(24).toString('base64url'),
    name: 'Administrator',
    role: 'internationalmanager',
  } as const;
  return {
    account: seed.account,
    keys: seed.keys.length > 0 ? seed.keys : [{ ...random, disabled: false }],
    customFields: seed.custom_fields.map((field) => ({
      ...field,
      id: createId(),
      option_ids: Object.fromEntries(field.options.map((option) => [option.external_unique_id, createId()])),
    })),
    seed,
  };
}

function writeAccount(store: Store, { account, keys, customFields }: AccountRecord): void {
  store.writeMeta('account', JSON.stringify({ account, keys, customFields }));
}

/** Imports run one after another, in the order in which they were accepted and their delays end. */
function createImportQueue() {
  const timers = new Set<NodeJS.Timeout>();
  let isStopped = false;
  let last: Promise<void> = Promise.resolve();
  return {
    schedule: (delayMs: number, work: (isStopped: () => boolean) => Promise<void>): void => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        last = last
          .then(() => work(() => isStopped))
          .catch((error: unknown) => {
            process.stderr.write(
              `sandbox: an import failed: ${error instanceof Error ? error.stack : String(error)}\n`,
            );
          });
      }, delayMs);
      timers.add(timer);
    },
    close: async (): Promise<void> => {
      isStopped = true;
      for (const timer of timers) clearTimeout(timer);
      await last;
    },
  };
}
