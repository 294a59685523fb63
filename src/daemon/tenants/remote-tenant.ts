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

/** A state that is held: what its work must pass, and the lock of its folder. */
export interface HeldState {
  readonly holding: Holding;
  readonly fence: Fence;
  readonly lock: RunLock;
  readonly signal: AbortSignal;
}

/** Facts about a tenant that its holder leaves for all daemons. */
export interface SharedFacts {
  readonly facts: TenantFacts | null;
  readonly because: string | null;
  readonly awayInARow: number;
}

/** How far the holder is. */
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
  /** Runs if a run is due. */
  readonly run: (held: HeldState) => Promise<void>;
  /** Carries out what somebody has asked for. */
  readonly serve: (held: HeldState, work: AskedWork) => Promise<AskedWork>;
  readonly fail: (error: SyncError) => void;
  /** An operation was carried out for somebody, who may sit at another daemon or at a command line. */
  readonly onCarriedOut: (operation: string) => void;
  /** Sends what there is to say. */
  readonly notify: (held: HeldState) => Promise<void>;
  /** Its facts now, read again if somebody has decided something. */
  readonly facts: (isDecided: boolean) => SharedFacts;
  /** When its next run is, and how the newest one ended. */
  readonly end: () => { readonly nextMs: number | null; readonly isGood: boolean | null };
}

export interface SeenRow extends RemoteTenantRow {
  /** When it was asked for, milliseconds since the epoch, by the daemon's clock. */
  readonly seenMs: number;
}

/** So long a daemon keeps a copy of a tenant that others work for. */
const KEPT_MS = 24 * 60 * 60_000;

/**
 * The part of a tenant's life in a daemon that concerns PostgreSQL:
 *
 *     claimed ──► lock and fetch ──► orders, due run ──► release
 *                                     ▲
 *                  words, also during a run
 *
 * Between claims its folder is a copy for those who look.
 */
export class RemoteTenant {
  readonly #options: RemoteTenantOptions;
  #held: HeldState | null = null;
  #row: SeenRow | null = null;
  #turns: InboxEntry[] = [];
  /** Orders that were taken in since the claim. */
  readonly #seen = new Set<string>();
  /** Words are carried out one after the other. */
  #words: Promise<void> = Promise.resolve();
  #isDecided = false;
  /** There was a plan or a run since the claim. */
  #isRun = false;
  /** Changes of files in the folder are made one after the other. */
  #folder: Promise<unknown> = Promise.resolve();

  constructor(options: RemoteTenantOptions) {
    this.#options = options;
  }

  /** Its row in PostgreSQL, as it was read last. */
  seen(): SeenRow | null {
    return this.#row;
  }

  isHeld(): boolean {
    return this.#held !== null;
  }

  /** Takes note of its row in PostgreSQL. @returns facts that another daemon has left, if they are new */
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

  /** Works with the state that PostgreSQL has, and gives it back. */
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
    // While it may still write: what a message is about, and that it was sent, is in the state.
    if (held !== null && held.holding.lease.fault() === null) await this.#options.notify(held);
    await this.#inFolder(async () => {
      this.#held = null;
      if (held === null) await backend.drop(lease);
      else await this.#release(held.holding);
    });
    lock?.close();
  }

  /** Orders that wait for it while it is held. */
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
    // Who waits for the words hears of what has become of them.
    this.#words.catch(() => undefined);
  }

  /** Makes the folder what PostgreSQL has, for those who only look. */
  bringUp(): Promise<void> {
    const { name, backend, config, holder } = this.#options;
    return this.#inFolder(async () => {
      if (this.#held !== null) {
        await this.#held.holding.fetchPlans();
        return this.#held.holding.ship();
      }
      const { state } = config();
      const lock = tryLock(state, holder);
      // A command works with it: nothing in PostgreSQL is newer.
      if (lock === null) return;
      try {
        await backend.bringUp(name, state);
      } finally {
        lock.close();
      }
    });
  }

  /** Removes a copy that is from before an erasure, or that nobody has used for long. */
  forgetOld(): void {
    // Ages are compared, each by one clock: those of PostgreSQL and of this machine may differ.
    const { erasedAgoMs = null, seenMs = 0 } = this.#row ?? {};
    const erasedMs = erasedAgoMs === null ? KEPT_MS : erasedAgoMs + this.#options.clock.now() - seenMs;
    this.#forget((pushed) => pushed.refresh(), Math.min(erasedMs, KEPT_MS));
  }

  /** Its configuration is gone, so nobody needs its copies here. */
  retire(): void {
    this.#forget(async (pushed) => pushed.close(), Number.NEGATIVE_INFINITY);
  }

  /** Removes a copy that is older, unless somebody works with it. */
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
    // Two daemons of one folder would fetch into each other's copy.
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
        // Also if it fails: its next slot waits for as long as the tenant pauses.
        this.#isRun = true;
        await this.#options.run(held);
      }
    }
  }

  async #serve(entry: InboxEntry, held: HeldState): Promise<void> {
    const { inbox } = this.#options.backend;
    const { holding } = held;
    const work = toAskedWork(entry);
    // A daemon that is gone may have begun it: a run finishes what another one has left, and does nothing twice.
    await holding.ship([work === null ? inbox.begin(entry.id) : inbox.beginWork(entry.id)]);
    if (work === null) return this.#carryOut(entry, held);
    this.#isRun = true;
    if (work.order?.plan !== undefined) await holding.fetchPlans();
    const ended = await this.#options.serve(held, work);
    // The next holder carries out what a stop has cut off.
    if (held.signal.aborted) return;
    await holding.ship([inbox.end(entry, answerOf(ended))]);
  }

  async #carryOut(entry: InboxEntry, { holding, fence, lock, signal }: HeldState): Promise<void> {
    const { backend, config, clock, logger, holder } = this.#options;
    const { inbox } = backend;
    this.#isDecided = true;
    const context = { config: config(), clock, logger, holder, fence, lock, signal };
    const carry = () => carryOut(entry, { ...context, holding, inbox });
    // Nobody pushes somebody while they are erased.
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

/** null: another process has it. */
function tryLock(folder: string, holder: string): RunLock | null {
  try {
    return lockFolder(folder, holder);
  } catch (error) {
    if (error instanceof SyncError && error.code === 'SYNC_STATE_LOCKED') return null;
    throw error;
  }
}
