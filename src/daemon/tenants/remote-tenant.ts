import type { Clock } from '../../base/clock.js';
import { asSyncError, SyncError } from '../../base/errors.js';
import type { Fence } from '../../base/fence.js';
import type { Logger } from '../../base/logger.js';
import type { Config } from '../../config/config.js';
import { receivesPushes } from '../../connectors/kinds.js';
import type { StepProgress } from '../../model/progress.js';
import type { Holding } from '../../store/remote/hold-state.js';
import type { InboxEntry } from '../../store/remote/inbox.js';
import { AS_BEFORE, type Lease } from '../../store/remote/leases.js';
import type { SharedFile } from '../../store/remote/shared-file.js';
import type { RemoteTenantRow } from '../../store/remote/tenant-rows.js';
import { copyAgeMs, findPushedCopy, removeCopy } from '../../store/remote/working-copy.js';
import { findUnderWay, lockFolder, noteElsewhere, type RunLock, type UnderWay } from '../../store/run-lock.js';
import type { AskedWork } from './asked-work.js';
import type { Backend } from './backend.js';
import { answerOf, carryOut, isErasure, kindOfOrder, toAskedWork } from './orders.js';
import type { TenantFacts } from './tenant-facts.js';

/** A held state, with the fence that its work must pass and the lock of its folder. */
export interface HeldState {
  readonly holding: Holding;
  readonly fence: Fence;
  readonly lock: RunLock;
  readonly signal: AbortSignal;
}

/** Facts about a tenant that its holder stores for all daemons. */
export interface SharedFacts {
  readonly facts: TenantFacts | null;
  readonly because: string | null;
  readonly awayInARow: number;
}

interface HolderDoing {
  readonly under: UnderWay | null;
  readonly progress: StepProgress | null;
}

export interface RemoteTenantOptions {
  readonly name: string;
  readonly backend: Backend;
  readonly config: () => Config;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly holder: string;
  readonly signal: AbortSignal;
  readonly progress: () => StepProgress | null;
  readonly run: (held: HeldState) => Promise<void>;
  readonly serve: (held: HeldState, work: AskedWork) => Promise<AskedWork>;
  readonly fail: (error: SyncError) => void;
  /** Called after an operation was carried out for someone, possibly on another daemon or a command line. */
  readonly onCarriedOut: (operation: string) => void;
  readonly notify: (held: HeldState) => Promise<void>;
  /** Returns the current facts. Reads them again if someone has decided something. */
  readonly facts: (isDecided: boolean) => SharedFacts;
  /** Returns the time of the next run, and the result of the newest one. */
  readonly end: () => { readonly nextMs: number | null; readonly isGood: boolean | null };
}

export interface SeenRow extends RemoteTenantRow {
  /** When this daemon read the row, in milliseconds since the epoch by its own clock. */
  readonly seenMs: number;
}

/** How long a daemon keeps a copy of a tenant that other daemons work for. */
const KEPT_MS = 24 * 60 * 60_000;

/**
 * The part of a tenant's life that concerns PostgreSQL:
 *
 *     claimed ──► lock and fetch ──► orders, due run ──► release
 *                                     ▲
 *                  decisions, also during a run
 *
 * Between claims its folder is a copy for readers.
 */
export class RemoteTenant {
  readonly #options: RemoteTenantOptions;
  #held: HeldState | null = null;
  #row: SeenRow | null = null;
  #turns: InboxEntry[] = [];
  /** Ids of the orders read since the claim. */
  readonly #seen = new Set<string>();
  /** The decisions under way, which are carried out one after the other. */
  #words: Promise<void> = Promise.resolve();
  #isDecided = false;
  /** True if a plan or run was performed since the claim. */
  #isRun = false;
  /** The changes to files in the folder, which run one after the other. */
  #folder: Promise<unknown> = Promise.resolve();

  constructor(options: RemoteTenantOptions) {
    this.#options = options;
  }

  /** The tenant's row in PostgreSQL, as last read. */
  seen(): SeenRow | null {
    return this.#row;
  }

  isHeld(): boolean {
    return this.#held !== null;
  }

  /** Notes the tenant's row in PostgreSQL. @returns facts left by another daemon, if they are new */
  note(row: RemoteTenantRow, nowMs: number): SharedFacts | null {
    this.#row = { ...row, seenMs: nowMs };
    const doing = row.doing as unknown as HolderDoing | null;
    noteElsewhere(this.#options.config().state, this.isHeld() || row.holder === null ? null : (doing?.under ?? null));
    return this.isHeld() || row.facts === undefined ? null : (row.facts as unknown as SharedFacts);
  }

  progressElsewhere(): StepProgress | null {
    const doing = this.isHeld() ? null : (this.#row?.doing as unknown as HolderDoing | null | undefined);
    return doing?.progress ?? null;
  }

  /** Fetches the state from PostgreSQL, works with it and releases it. */
  async work(lease: Lease): Promise<void> {
    const { name, backend } = this.#options;
    let lock: RunLock | null = null;
    this.#isRun = false;
    try {
      lock = await this.#inFolder(() => this.#hold(lease));
      if (lease.hasOrders) this.take(await backend.orders([name]));
      await this.#doAll(lease.isDue);
    } catch (thrown) {
      this.#options.fail(asSyncError(thrown));
    }
    await this.#words.catch(() => undefined);
    const held = this.#held;
    // Notify while this daemon may still write, because the state records each message's subject and that it was sent.
    if (held !== null && held.holding.lease.fault() === null) await this.#options.notify(held);
    await this.#inFolder(async () => {
      this.#held = null;
      if (held === null) await backend.drop(lease);
      else await this.#release(held.holding);
    });
    lock?.close();
  }

  take(entries: readonly InboxEntry[]): void {
    const held = this.#held;
    if (held === null) return;
    for (const entry of entries) {
      const kind = kindOfOrder(entry);
      if (this.#seen.has(entry.id) || kind === null) continue;
      this.#seen.add(entry.id);
      if (kind !== 'word') this.#turns.push(entry);
      else this.#words = this.#words.then(() => this.#carryOut(entry, held));
    }
    // Errors are reported to those who wait for the decisions.
    this.#words.catch(() => undefined);
  }

  /** Updates the folder to the state in PostgreSQL, for readers. */
  bringUp(): Promise<void> {
    const { name, backend, config, holder } = this.#options;
    return this.#inFolder(async () => {
      if (this.#held !== null) {
        await this.#held.holding.fetchPlans();
        return this.#held.holding.ship();
      }
      const { state } = config();
      const lock = tryLock(state, holder);
      // A command works with the folder, so PostgreSQL has nothing newer.
      if (lock === null) return;
      try {
        await backend.bringUp(name, state);
      } finally {
        lock.close();
      }
    });
  }

  /** Removes a copy that is older than an erasure, or that has been unused for a day. */
  forgetOld(): void {
    // Compares two ages, each measured by one clock, because the clocks of PostgreSQL and of this machine may differ.
    const { erasedAgoMs = null, seenMs = 0 } = this.#row ?? {};
    const erasedMs = erasedAgoMs === null ? KEPT_MS : erasedAgoMs + this.#options.clock.now() - seenMs;
    this.#forget((pushed) => pushed.refresh(), Math.min(erasedMs, KEPT_MS));
  }

  /** Removes the copies, because the tenant's configuration was removed. */
  retire(): void {
    this.#forget(async (pushed) => pushed.close(), Number.NEGATIVE_INFINITY);
  }

  /** Removes a copy older than `thanMs`, unless someone is using it. */
  #forget(renew: (pushed: SharedFile) => Promise<void>, thanMs: number): void {
    const { config, holder, name, backend } = this.#options;
    const { state } = config();
    void this.#inFolder(async () => {
      const ageMs = copyAgeMs(state);
      if (ageMs === null || ageMs < thanMs || this.#held !== null) return;
      const lock = tryLock(state, holder);
      if (lock === null) return;
      removeCopy(state);
      lock.close();
      if (findPushedCopy(state) !== null) await renew(backend.pushed(name, state));
    }).catch(() => undefined);
  }

  async #hold(lease: Lease): Promise<RunLock> {
    const { backend, config, holder, signal } = this.#options;
    const { state } = config();
    // Two daemons on one folder would overwrite each other's copy.
    const lock = lockFolder(state, holder);
    try {
      const doing = (): HolderDoing => ({ under: findUnderWay(state), progress: this.#options.progress() });
      const { sources } = config();
      if (receivesPushes(sources)) await backend.pushed(lease.tenant, state).refresh();
      const holding = await backend.hold(lease, { folder: state, doing }, signal);
      this.#held = { holding, fence: holding.fence, lock, signal: holding.signal };
      this.#turns = [];
      this.#seen.clear();
      this.#words = Promise.resolve();
      this.#isDecided = false;
      return lock;
    } catch (error) {
      lock.close();
      throw error;
    }
  }

  async #doAll(isDue: boolean): Promise<void> {
    for (let isToRun = isDue; ; ) {
      await this.#words;
      const held = this.#held;
      if (held === null || held.signal.aborted) return;
      const entry = this.#turns.shift();
      if (entry !== undefined) await this.#serve(entry, held);
      else if (!isToRun) return;
      else {
        isToRun = false;
        // Set this even if the run fails, so that the next slot waits until the pause ends.
        this.#isRun = true;
        await this.#options.run(held);
      }
    }
  }

  async #serve(entry: InboxEntry, held: HeldState): Promise<void> {
    const { inbox } = this.#options.backend;
    const { holding } = held;
    const work = toAskedWork(entry);
    // Another daemon may have begun this work before it died. A run finishes the remaining work and repeats nothing.
    await holding.ship([work === null ? inbox.begin(entry.id) : inbox.beginWork(entry.id)]);
    if (work === null) return this.#carryOut(entry, held);
    this.#isRun = true;
    if (work.order?.plan !== undefined) await holding.fetchPlans();
    const ended = await this.#options.serve(held, work);
    // After a stop, the next holder carries out the rest.
    if (held.signal.aborted) return;
    await holding.ship([inbox.end(entry, answerOf(ended))]);
  }

  async #carryOut(entry: InboxEntry, { holding, fence, lock, signal }: HeldState): Promise<void> {
    const { backend, config, clock, logger, holder } = this.#options;
    const { inbox } = backend;
    this.#isDecided = true;
    const context = { config: config(), clock, logger, holder, fence, lock, signal };
    const carry = () => carryOut(entry, { ...context, holding, inbox });
    // Locks the pushed users, so that nobody pushes a person while they are erased.
    const pushed =
      isErasure(entry) && receivesPushes(config().sources)
        ? backend.pushed(holding.lease.tenant, config().state)
        : null;
    if (await (pushed === null ? carry() : pushed.write(carry, 'minutes'))) this.#options.onCarriedOut(entry.kind);
  }

  async #release(holding: Holding): Promise<void> {
    const { backend, facts, end } = this.#options;
    const { nextMs, isGood } = end();
    const shared = facts(this.#isDecided);
    const known = {
      facts: shared,
      pausedUntil: shared.facts === null ? undefined : (shared.facts.pause?.until ?? null),
    };
    if (!this.#isRun) return backend.release(holding, { nextSlot: AS_BEFORE, isGood: null, ...known });
    const nextSlot = nextMs === null ? null : new Date(nextMs).toISOString();
    await backend.release(holding, { nextSlot, isGood, ...known });
  }

  #inFolder<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#folder.then(work);
    this.#folder = result.catch(() => undefined);
    return result;
  }
}

/** Null if another process holds the lock. */
function tryLock(folder: string, holder: string): RunLock | null {
  try {
    return lockFolder(folder, holder);
  } catch (error) {
    if (error instanceof SyncError && error.code === 'SYNC_STATE_LOCKED') return null;
    throw error;
  }
}
