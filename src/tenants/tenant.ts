import { type Clock, isoNow } from '../clock.js';
import type { Config } from '../config/config.js';
import { asSyncError, type SyncError } from '../errors.js';
import type { Logger } from '../logger.js';
import { openState } from '../open-state.js';
import { type RunEnd, runOnce } from '../run.js';
import { type Anchor, findDue } from '../schedule/due.js';
import type { Limiter, LimiterStats } from '../service/limiter.js';
import { createServiceLimiter } from '../service/talent-service.js';
import { openStores } from '../store/open-stores.js';
import { acquireRunLock } from '../store/run-lock.js';
import type { HistoryStore } from '../store/state/history-store.js';
import { waitForRunLock, wireApp } from '../wire.js';
import { scheduleOf } from './schedule-of.js';
import { readFacts, type TenantFacts } from './tenant-facts.js';
import type { TenantWatcher } from './tenant-watcher.js';

/**
 * One tenant's life in a daemon:
 *
 *     starting ──state opened──► idle ◄──ended── running
 *        │ ▲                      │ ▲               ▲
 *        ▼ │                  due ▼ │ given back     │
 *      locked ◄──held by another── locked ──lock got─┘        broken: the state cannot be used; tried again
 *
 * The run lock is held while a run goes on and no longer, so that a person can plan and apply in between.
 */
export type TenantPhase = 'starting' | 'locked' | 'idle' | 'running' | 'broken';

export interface TenantStatus {
  readonly phase: TenantPhase;
  /** Who holds the lock, or what is wrong. */
  readonly because: string | null;
  /** When the next run starts, milliseconds since the epoch. */
  readonly nextMs: number | null;
  /** null as long as the state has not been opened. */
  readonly facts: TenantFacts | null;
  readonly limiter: LimiterStats;
}

export interface TenantOptions {
  readonly name: string;
  /** The configuration in force. */
  readonly config: () => Config;
  /** The same for a run that starts now: with its secrets as they are now. */
  readonly freshConfig: () => Config;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly holder: string;
  readonly signal: AbortSignal;
  readonly watcher: TenantWatcher;
  /** Lets so many tenants work at a time; the others queue here. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  readonly fetch?: typeof globalThis.fetch;
}

export interface Tenant {
  /** Starts what is due, if anything, and returns at once. A tenant at work is left alone. */
  look(): void;
  /** Whether something but the time keeps it from working: it is worth looking at again before the next minute. */
  isWaiting(): boolean;
  status(): TenantStatus;
  /** @throws SyncError SYNC_STATE_LOCKED when another process holds its state now */
  checkLock(): void;
  /** Its configuration is gone: a run under way goes on, but none begins, were it waiting for its turn already. */
  retire(): void;
  /** Resolves when nothing of it is under way. */
  idle(): Promise<void>;
}

/** Failures of one run that the log tells one by one; the run's document has them all. */
const MOST_TOLD = 20;

/** Under this name the anchor of the schedule is in state.db. */
const ANCHOR = 'schedule';

export function createTenant(options: TenantOptions): Tenant {
  const { name, clock, logger, holder, signal, watcher } = options;
  let phase: TenantPhase = 'starting';
  let because: string | null = null;
  let anchor: Anchor | null = null;
  let nextMs: number | null = null;
  let facts: TenantFacts | null = null;
  let opened: string | null = null;
  let limiter = createLimiterFor(options.config());
  let working: Promise<void> | null = null;
  let retired = false;
  const sinceMs = clock.now();

  function createLimiterFor({ service }: Config): { readonly of: string; readonly limiter: Limiter } {
    return {
      of: JSON.stringify([service.baseUrl, service.rateLimit]),
      limiter: createServiceLimiter(service.rateLimit, clock),
    };
  }

  function settle(next: TenantPhase, reason: string | null): void {
    phase = next;
    because = reason;
  }

  /** First contact with a state folder: tables brought up, schedule taken up where the last process left it. */
  async function open(config: Config): Promise<void> {
    const lock = await waitForRunLock(config.state, { holder, clock, signal });
    const releases = [() => lock.close()];
    try {
      const stores = await openState(config.state, { at: isoNow(clock), logger: logger.child({ tenant: name }) });
      releases.push(() => stores.close());
      // A schedule that was never seen counts from when the tenant came, however long its state was held by others.
      anchor = readAnchor(stores.history) ?? { ...scheduleOf(config), atMs: sinceMs };
      const due = findDue(scheduleOf(config), anchor, clock.now());
      anchor = saveAnchor(stores.history, due.slotMs === null ? due.anchor : anchor);
      facts = readFacts(config, stores, null);
      nextMs = due.nextMs;
    } finally {
      for (const release of releases.toReversed()) release();
    }
    opened = config.state;
    settle('idle', null);
    logger.info({ tenant: name, state: config.state, ...scheduleOf(config), next: formatMs(nextMs) }, 'tenant ready');
  }

  async function run(): Promise<void> {
    const config = options.freshConfig();
    const fresh = createLimiterFor(config);
    if (fresh.of !== limiter.of) limiter = fresh;
    const app = await wireApp(config, {
      clock,
      logger: logger.child({ tenant: name }),
      holder,
      asOf: null,
      signal,
      limiter: limiter.limiter,
      onCall: (call) => watcher.onCall(name, call),
      onChange: (change, result) => watcher.onChange(name, change, result),
      ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    });
    try {
      const { history } = app.stores;
      // Another process may have run for this slot while we waited for the lock.
      anchor = readAnchor(history);
      if (anchor === null)
        logger.warn({ tenant: name, state: config.state }, 'another state is there: counts from now');
      const due = findDue(scheduleOf(config), anchor, clock.now());
      nextMs = due.nextMs;
      if (due.slotMs === null) {
        anchor = saveAnchor(history, due.anchor);
        return settle('idle', null);
      }
      settle('running', null);
      watcher.onMissed(name, due.missed);
      logger.info({ tenant: name, slot: formatMs(due.slotMs), missed: due.missed }, 'run starts');
      const atEnd = (): void => {
        anchor = saveAnchor(history, due.anchor);
      };
      const startedMs = clock.now();
      let ended: RunEnd | null = null;
      try {
        ended = await runOnce(app, { command: 'daemon', saved: null, full: false, only: null, atEnd });
        tellEnd(ended);
      } finally {
        watcher.onRun(name, ended, (clock.now() - startedMs) / 1_000);
        facts = readFacts(config, app.stores, ended);
        settle('idle', null);
      }
    } finally {
      await app.close();
    }
  }

  function tellEnd({ document, exitCode, planned }: RunEnd): void {
    const { run: id, done, failed, held, guards, conflicts, left, calls, seconds, stopped } = document;
    const sums = { failed: failed.length, held: held.length, conflicts: conflicts.length, left, calls, seconds };
    logger.info(
      { tenant: name, run: id, exit_code: exitCode, done, ...sums, stopped, next: formatMs(nextMs) },
      'run ended',
    );
    for (const { entity, error } of planned.stopped)
      logger.error({ tenant: name, entity, ...describe(error) }, 'left alone');
    for (const { entity, change, code, place } of failed.slice(0, MOST_TOLD)) {
      logger.warn({ tenant: name, run: id, entity, change, code, place }, 'a change failed');
    }
    for (const { guard, held: changes, cause } of guards) {
      logger.warn({ tenant: name, run: id, guard, changes, cause }, 'a guard holds changes until they are approved');
    }
  }

  async function work(): Promise<void> {
    const config = options.config();
    try {
      if (opened !== config.state) await open(config);
      if (isDue(config)) await options.inTurn(async () => (signal.aborted || retired ? undefined : await run()));
    } catch (thrown) {
      fail(asSyncError(thrown), config);
    }
  }

  function isDue(config: Config): boolean {
    const due = findDue(scheduleOf(config), anchor, clock.now());
    nextMs = due.nextMs;
    if (due.slotMs !== null) return !signal.aborted;
    // An edited schedule, or a clock set back: from where it counts now must outlive this process.
    if (due.anchor !== anchor) {
      const stores = openStores(config.state);
      anchor = saveAnchor(stores.history, due.anchor);
      stores.close();
    }
    return false;
  }

  function fail(error: SyncError, config: Config): void {
    if (error.code === 'SYNC_STATE_LOCKED') {
      if (because !== error.message) logger.warn({ tenant: name, ...describe(error) }, 'waits for the state');
      settle('locked', error.message);
      return;
    }
    if (!signal.aborted && because !== error.message) logger.error({ tenant: name, ...describe(error) }, 'run failed');
    if (opened === null || error.code.startsWith('SYNC_STATE_')) {
      settle('broken', error.message);
      return;
    }
    // Whatever it was, the next slot tries again; what was begun is in the journal.
    if (!signal.aborted) anchor = findDue(scheduleOf(config), anchor, clock.now()).anchor;
    settle('idle', null);
  }

  return {
    look() {
      working ??= work()
        .catch((thrown: unknown) => logger.error({ tenant: name, ...describe(asSyncError(thrown)) }, 'defect'))
        .finally(() => {
          working = null;
        });
    },
    checkLock: () => acquireRunLock(options.config().state, holder).close(),
    isWaiting: () => working === null && (phase === 'locked' || phase === 'starting'),
    status: () => ({ phase, because, nextMs, facts, limiter: limiter.limiter.stats() }),
    retire: () => {
      retired = true;
    },
    idle: async () => {
      await working;
    },
  };
}

function readAnchor(history: HistoryStore): Anchor | null {
  const text = history.fact(ANCHOR);
  return text === null ? null : (JSON.parse(text) as Anchor);
}

function saveAnchor(history: HistoryStore, anchor: Anchor): Anchor {
  history.setFact(ANCHOR, JSON.stringify(anchor));
  return anchor;
}

function formatMs(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function describe({ code, message, place, remedy }: SyncError): object {
  return { code, message, place, remedy };
}
