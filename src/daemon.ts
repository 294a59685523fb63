import { type Clock, expectMany } from './clock.js';
import { asSyncError, SyncError } from './errors.js';
import type { Logger } from './logger.js';
import { createRegistry, type Registered } from './tenants/registry.js';
import { createTenant } from './tenants/tenant.js';
import type { TenantWatcher } from './tenants/tenant-watcher.js';
import { createWorkSlots } from './tenants/work-slots.js';

export interface DaemonOptions {
  /** A configuration, or a folder of one file per tenant. */
  readonly target: string;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Who holds the run lock, for those who find it taken. */
  readonly holder: string;
  readonly watcher: TenantWatcher;
  /** Waits for states that another process holds; without it such a state at the start is an error. */
  readonly wait: boolean;
  /** Tenants at work at the same time. */
  readonly parallel: number;
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * Runs every tenant by its own schedule until it is told to stop:
 *
 *     tick (each minute, UTC) ──► configurations ──► what is due ──► run ──► next slot
 *     poll (each few seconds) ──► changed configurations, tenants that wait for their state, a tick that did not come
 *     stop ──► no new run; those under way finish the calls in flight, and their outcomes reach the disk
 *
 * Tenants share nothing but the process: a state folder, a limiter and failures of their own.
 */
export interface Daemon {
  /** @throws SyncError when there is no tenant to run for; with one tenant alone, its configuration's problem */
  start(): void;
  /** Once a minute: what is due is started. */
  tick(): void;
  /** In between: changed files, tenants that wait for something, and a tick that did not come. */
  poll(): void;
  /** Reads all configurations again, at once. */
  reload(): void;
  list(): readonly Registered[];
  /** When the last tick was, milliseconds since the epoch: a daemon whose clock stands still is dead. */
  lastTickMs(): number;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
  /** Resolves when every run has stopped with its outcomes on disk. */
  stop(): Promise<void>;
  isStopping(): boolean;
}

export function createDaemon(options: DaemonOptions): Daemon {
  const { clock, logger, watcher } = options;
  const stopping = new AbortController();
  expectMany(stopping.signal);
  const slots = createWorkSlots(options);
  let tickedMs = clock.now();
  const registry = createRegistry({
    ...options,
    createTenant: (name, config, freshConfig) =>
      createTenant({
        ...options,
        name,
        config,
        freshConfig,
        watcher,
        signal: stopping.signal,
        inTurn: (work) => slots.take(name, work),
      }),
  });

  function lookAtFiles(taking: 'settled' | 'now'): void {
    try {
      registry.look(taking);
    } catch (error) {
      // The folder is gone for the moment, as when a volume is mounted again: current runs continue.
      const { code, message, place, remedy } = asSyncError(error);
      logger.error({ code, message, place, remedy }, 'configurations cannot be read');
    }
  }

  function tick(): void {
    if (stopping.signal.aborted) return;
    tickedMs = clock.now();
    slots.look();
    lookAtFiles('settled');
    for (const tenant of registry.tenants()) tenant.look();
  }

  return {
    start() {
      registry.look('now');
      const all = registry.list();
      if (!all.some(({ status }) => status !== null)) throw nothingToRun(options.target, all);
      if (!options.wait) for (const tenant of registry.tenants()) tenant.checkLock();
      logger.info({ tenants: all.length }, 'daemon started');
      tick();
    },
    tick,
    poll() {
      if (stopping.signal.aborted) return;
      // A tick waits for a moment of the clock: one that is set back would let it wait for all that time.
      if (minuteOf(clock.now()) !== minuteOf(tickedMs)) {
        tick();
        return;
      }
      lookAtFiles('settled');
      for (const tenant of registry.tenants()) if (tenant.isWaiting()) tenant.look();
    },
    reload() {
      if (stopping.signal.aborted) return;
      logger.info('configurations are read again');
      lookAtFiles('now');
      for (const tenant of registry.tenants()) tenant.look();
    },
    list: () => registry.list(),
    lastTickMs: () => tickedMs,
    idle: () => registry.idle(),
    async stop() {
      stopping.abort(new Error('the daemon stops'));
      await registry.idle();
    },
    isStopping: () => stopping.signal.aborted,
  };
}

function minuteOf(ms: number): number {
  return Math.floor(ms / 60_000);
}

function nothingToRun(target: string, all: readonly Registered[]): SyncError {
  const [first] = all;
  if (first?.problem != null && all.length === 1) return first.problem;
  const problems = all.flatMap(({ problem, name }) =>
    problem === null ? [] : [{ place: problem.place ?? name, message: problem.message, remedy: problem.remedy }],
  );
  return new SyncError('SYNC_CONFIG_INVALID', {
    message:
      first === undefined
        ? 'There is no configuration in the folder.'
        : 'No tenant has a configuration that can be used.',
    place: target,
    remedy: first === undefined ? 'Put one *.yaml file a tenant into it.' : 'Correct the problems listed.',
    problems,
  });
}
