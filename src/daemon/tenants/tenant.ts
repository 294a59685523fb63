import type { App } from '../../app/app.js';
import { openState, waitForRunLock } from '../../app/open-state.js';
import { refusePaused } from '../../app/stand-still.js';
import { countChanges, countToApply } from '../../app/watch-progress.js';
import { type WireOptions, wireApp } from '../../app/wire.js';
import { breathe, type Clock, followStop, isoNow } from '../../base/clock.js';
import { asSyncError, isOfTheAsker, type SyncError, toLogFields } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { Config } from '../../config/config.js';
import { listMissingFolders } from '../../config/list-local-folders.js';
import type { Due } from '../../config/schedule/due.js';
import { planRun } from '../../cycle.js';
import { createStepCounter, type ProgressStep, type StepProgress } from '../../model/progress.js';
import { deliverBetweenRuns } from '../../operations/deliver-between-runs.js';
import type { Hindrance } from '../../operations/notify/list-ongoing.js';
import { type ChannelFacts, Notifier } from '../../operations/notify/notifier.js';
import { openSavedPlan } from '../../operations/open-saved-plan.js';
import { newRunId, type RunEnd, runOnce } from '../../operations/run.js';
import { tellPlan } from '../../operations/tell-plan.js';
import { tellRun } from '../../operations/tell-run.js';
import type { WorkOrder } from '../../operations/work-order.js';
import type { LimiterStats } from '../../service/limiter.js';
import type { Claimable, Lease } from '../../store/remote/leases.js';
import type { RemoteTenantRow } from '../../store/remote/tenant-rows.js';
import { acquireRunLock } from '../../store/run-lock.js';
import { type AskedKind, AskedQueue, type AskedWork } from './asked-work.js';
import { type Backend, findLongestCall } from './backend.js';
import { DaemonMark } from './daemon-mark.js';
import { KnownFacts } from './known-facts.js';
import { isAway } from './pauses.js';
import { type HeldState, RemoteTenant, type SeenRow, type SharedFacts } from './remote-tenant.js';
import { scheduleOf } from './schedule-of.js';
import { Slots } from './slots.js';
import type { TenantFacts } from './tenant-facts.js';
import { createLimiterFor, type TenantLimiter } from './tenant-limiter.js';
import type { TenantWatcher } from './tenant-watcher.js';

export type TenantPhase = 'starting' | 'locked' | 'idle' | 'running' | 'broken' | 'stopped';

export interface TenantStatus {
  readonly phase: TenantPhase;
  /** The holder of the lock, or the error message. */
  readonly because: string | null;
  /** When the tenant entered this phase, in milliseconds since the epoch. */
  readonly sinceMs?: number;
  /** When the next run starts, in milliseconds since the epoch. */
  readonly nextMs: number | null;
  /** Number of newest runs in a row that ended because the service or a source was down. */
  readonly awayInARow: number;
  /** Null until the state is opened. */
  readonly facts: TenantFacts | null;
  readonly limiter: LimiterStats;
  readonly channels: readonly ChannelFacts[];
  readonly progress?: StepProgress | null;
  /** Work that someone requested between runs. */
  readonly asked?: AskedWork | null;
  /** The tenant's row in PostgreSQL, as last read; null if its state is a local folder. */
  readonly row?: SeenRow | null;
}

export interface TenantOptions {
  readonly name: string;
  /** The active configuration. */
  readonly config: () => Config;
  /** The active configuration with freshly read secrets, for a run that starts now. */
  readonly freshConfig: () => Config;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly holder: string;
  readonly signal: AbortSignal;
  readonly watcher: TenantWatcher;
  /** The shared states in PostgreSQL, open to any daemon; null if each state is a local folder. */
  readonly backend?: Backend | null;
  /** Limits how many tenants work at the same time. The other tenants wait in a queue. */
  readonly inTurn: (work: () => Promise<void>, givesWay: boolean) => Promise<void>;
  /** Lets one tenant at a time open its state. Opening many states at the same time would block everyone else. */
  readonly openInTurn: (work: () => Promise<void>) => Promise<void>;
  readonly fetch?: typeof globalThis.fetch;
  /** Called after an operation that was requested through PostgreSQL. */
  readonly onCarriedOut: (operation: string) => void;
  /** Address of the operator pages, used if the tenant's configuration sets none. */
  readonly pagesLink?: () => string | null;
}

/**
 * One tenant's life in a daemon:
 *
 *     starting ──state opened──► idle ◄──ended── running
 *        │ ▲                      │ ▲               ▲
 *        ▼ │                  due ▼ │ released       │
 *      locked ◄──held by another── locked ──lock got─┘        broken: the state cannot be used; tried again
 *                                                             stopped: a migration failed; not tried again
 *
 * The run lock is held only during a run, so that a person can plan and apply in between.
 */
export class Tenant {
  readonly #options: TenantOptions;
  readonly #logger: Logger;
  /** Logger of the current run; between runs, the logger of the tenant. */
  #log: Logger;
  #phase: TenantPhase = 'starting';
  #because: string | null = null;
  #sinceMs: number;
  readonly #slots: Slots;
  readonly #facts: KnownFacts;
  /** Result of the newest run; null before it ends. */
  #wasGood: boolean | null = null;
  /** The state folder that is open. */
  #opened: string | null = null;
  /** The state folder with the tables that could not be migrated. */
  #stoppedBy: string | null = null;
  #limiter: TenantLimiter;
  readonly #notifier: Notifier;
  readonly #remote: RemoteTenant | null;
  /** Marks the open state folder. Another daemon on the same folder then gives a warning. */
  readonly #mark: DaemonMark;
  /**
   * Earliest time of the next claim. The time is set when the local folder is unusable, so that other daemons can try
   * first.
   */
  #claimsFromMs = 0;
  /** Needed folders that are missing here, for the log. */
  #missing = '';
  #working: Promise<void> | null = null;
  #isRetired = false;
  readonly #asked = new AskedQueue();
  /** The requested work under way. */
  #serving: AskedWork | null = null;
  #progress: StepProgress | null = null;
  #problem: SyncError | null = null;
  /** The error that stopped the newest run. */
  #hindrance: Hindrance = 'unknown';

  constructor(options: TenantOptions) {
    const { name, clock, logger } = options;
    this.#options = options;
    this.#logger = logger.child({ tenant: name });
    this.#log = this.#logger;
    this.#sinceMs = clock.now();
    this.#facts = new KnownFacts(clock);
    this.#slots = new Slots(name, clock, () => Date.parse(this.#facts.newest()?.pause?.until ?? '') || 0);
    this.#limiter = createLimiterFor(options.config(), clock);
    this.#notifier = new Notifier({ ...options, tenant: name, logger: this.#logger });
    this.#mark = new DaemonMark({ ...options, logger: this.#logger });
    const { backend = null } = options;
    this.#remote = backend === null ? null : this.#openRemote(backend);
    // With a backend, the daemon that claims the tenant opens its state.
    if (backend !== null) this.#phase = 'idle';
  }

  #openRemote(backend: Backend): RemoteTenant {
    return new RemoteTenant({
      ...this.#options,
      backend,
      logger: this.#logger,
      progress: () => this.#progress,
      run: (held) => this.#runHeld(held),
      serve: (held, work) => this.#serveHeld(held, work),
      fail: (error) => {
        this.#fail(error, this.#options.config());
        if (/^SYNC_(STATE_|BACKEND_SEAL$)/.test(error.code))
          this.#claimsFromMs = this.#options.clock.now() + CLAIM_AGAIN_MS;
      },
      notify: ({ fence }) => {
        this.#notifier.look(fence);
        return this.#notifier.idle();
      },
      facts: (isDecided) => this.#shareFacts(isDecided),
      end: () => this.#endHeld(),
    });
  }

  name(): string {
    return this.#options.name;
  }

  /** The facts needed to claim the tenant; null while it cannot work. */
  candidate(): Claimable | null {
    const config = this.#options.config();
    if (this.#working !== null || this.#isRetired || this.#options.signal.aborted) return null;
    if (this.#options.clock.now() < this.#claimsFromMs || this.#isElsewhere(config)) return null;
    if (this.#phase === 'stopped' && this.#stoppedBy === config.state) return null;
    return { tenant: this.#options.name, config: config.digest, callLimitMs: findLongestCall(config) };
  }

  /** True if a folder that the tenant needs is missing on this machine. */
  #isElsewhere(config: Config): boolean {
    const folders = listMissingFolders(config);
    const missing = folders.join('\n');
    if (folders.length > 0 && missing !== this.#missing)
      this.#logger.warn({ folders }, 'this machine lacks folders that the tenant needs: only other daemons can run it');
    this.#missing = missing;
    return folders.length > 0;
  }

  /** Works for the tenant after a claim, with the state from PostgreSQL, and releases it. */
  lookWith(lease: Lease, remote: RemoteTenant): void {
    this.#log = this.#logger;
    // Other daemons may have performed runs since.
    this.#hindrance = 'unknown';
    this.#noteHindrance();
    this.#start(() => this.#options.inTurn(() => remote.work(lease), this.#slots.awayInARow() > 0));
  }

  /** The tenant's PostgreSQL part; null if its state is a local folder. */
  remote(): RemoteTenant | null {
    return this.#remote;
  }

  note(row: RemoteTenantRow): void {
    const shared = this.#remote?.note(row, this.#options.clock.now()) ?? null;
    if (shared !== null) {
      this.#facts.follow(shared.facts);
      this.#slots.follow(shared.awayInARow);
      this.#because = shared.because;
      if (this.#phase !== 'stopped') this.#phase = 'idle';
    }
    if (this.#working === null) this.#slots.announce(row.nextMs);
  }

  /** Starts whatever is due, and returns immediately. Does nothing while the tenant is working or stopped. */
  look(): void {
    if (this.#options.backend != null) return;
    if (this.#phase === 'stopped' && this.#stoppedBy === this.#options.config().state) return;
    // Messages are sent even during a run that takes hours.
    if (this.#working !== null && this.#opened !== null) this.#notifier.look();
    if (this.#opened !== null) this.#mark.renew(this.#opened);
    this.#start(() => this.#work());
  }

  #start(work: () => Promise<void>): void {
    this.#working ??= work()
      .catch((thrown: unknown) => this.#logger.error(toLogFields(asSyncError(thrown)), 'defect'))
      .finally(() => {
        this.#working = null;
        this.#serving = null;
        this.#progress = null;
        if (this.#remote === null) this.#notifier.look();
        if (this.#nextAsked() !== null && this.#phase === 'idle') this.look();
      });
  }

  /** @throws SyncError SYNC_PAUSED while the tenant is paused */
  refusePaused(): void {
    const pause = this.#facts.newest()?.pause ?? null;
    if (pause !== null && pause.until > isoNow(this.#options.clock)) refusePaused(pause);
  }

  /** Queues a requested plan or run. The work waits for its turn, and for the state if someone else holds it. */
  ask(kind: AskedKind, by: string, order: WorkOrder | null = null): AskedWork {
    const asked = this.#asked.ask(kind, by, this.#options.clock.now(), order);
    this.look();
    return asked;
  }

  /** Finds requested work by its id; null if the id is unknown or no longer kept. */
  findAsked(id: string): AskedWork | null {
    return this.#asked.find(id);
  }

  /** Notes the error of the configuration on disk, or null. An older configuration stays active. */
  noteProblem(problem: SyncError | null): void {
    this.#problem = problem;
    this.#noteHindrance();
  }

  /** Leaves the stopped phase, after someone has looked at the cause. */
  retry(): void {
    if (this.#phase === 'stopped') this.#settle('starting', null);
  }

  /** True if a run should have started by now. */
  isDue(): boolean {
    return this.#options.backend == null && this.#phase === 'idle' && this.#slots.isTime();
  }

  /** True if something other than the schedule keeps the tenant from working, so that `poll` should look again. */
  isWaiting(): boolean {
    return this.#working === null && (this.#phase === 'locked' || this.#phase === 'starting');
  }

  status(): TenantStatus {
    const limiter = this.#limiter.limiter.stats();
    const channels = this.#notifier.channels();
    const [awayInARow, nextMs, facts] = [this.#slots.awayInARow(), this.#slots.nextMs(), this.#facts.newest()];
    const row = this.#remote?.seen() ?? null;
    const isHeldElsewhere = row !== null && row.holder !== null && this.#remote?.isHeld() === false;
    const phase = isHeldElsewhere ? 'running' : this.#phase;
    const progress = this.#remote?.progressElsewhere() ?? this.#progress;
    const [because, sinceMs, asked] = [this.#because, this.#sinceMs, this.#asked.shown()];
    return { phase, because, sinceMs, nextMs, awayInARow, facts, limiter, channels, progress, asked, row };
  }

  /**
   * Reads the tenant's facts again if the state has changed, for example by `approve` or a manual run.
   *
   * @returns true if the state has changed. The call is cheap otherwise
   */
  refresh(): boolean {
    // A run reads the facts when it ends. Without a claim, the folder may be an old copy.
    if (this.#options.backend != null || this.#working !== null) return false;
    if (!this.#facts.areOld(this.#options.config().state)) return false;
    this.reread();
    return true;
  }

  /** Reads the tenant's facts again immediately, even during a run, because someone has decided something. */
  reread(): void {
    if (this.#facts.newest() === null || this.#opened !== this.#options.config().state || this.#remote !== null) return;
    this.#rereadFacts();
  }

  #rereadFacts(): void {
    try {
      this.#facts.reread(this.#options.config());
    } catch (thrown) {
      // The next run reports the error.
      this.#logger.debug(toLogFields(asSyncError(thrown)), 'the state cannot be read');
    }
  }

  /** @throws SyncError SYNC_STATE_LOCKED if another process holds the state now, or another daemon serves it */
  checkLock(): void {
    const { state } = this.#options.config();
    acquireRunLock(state, this.#options.holder).close();
    this.#mark.check(state);
  }

  /** Leaves the state folder to other daemons. */
  leave(): void {
    if (this.#remote === null && this.#opened !== null) this.#mark.remove(this.#opened);
  }

  /** Notes that the configuration was removed. A run under way continues, but no queued run begins. */
  retire(): void {
    this.#isRetired = true;
  }

  /** Resolves when none of the tenant's work is under way. */
  async idle(): Promise<void> {
    while (this.#working !== null) await this.#working;
    await this.#notifier.idle();
  }

  #noteHindrance(): void {
    this.#notifier.note(this.#problem ?? this.#hindrance);
  }

  async #work(): Promise<void> {
    const { config: inForce, inTurn, openInTurn, signal } = this.#options;
    const config = inForce();
    this.#log = this.#logger;
    try {
      if (this.#opened !== config.state) await openInTurn(() => this.#openUnlessStopped(config));
      if (this.#opened !== config.state) return;
      if (!this.#isDue(config)) return;
      const work = async () =>
        signal.aborted || this.#isRetired ? undefined : followStop(signal, (own) => this.#run(own));
      await inTurn(work, this.#slots.awayInARow() > 0);
    } catch (thrown) {
      this.#fail(asSyncError(thrown), config);
    }
  }

  async #runHeld(held: HeldState): Promise<void> {
    this.#wasGood = null;
    this.#opened = this.#options.config().state;
    await this.#run(held.signal, held);
  }

  /** @returns the work, with its result */
  async #serveHeld(held: HeldState, work: AskedWork): Promise<AskedWork> {
    this.#asked.add(work);
    try {
      await this.#runHeld(held);
    } catch (thrown) {
      this.#fail(asSyncError(thrown), this.#options.config());
    }
    this.#serving = null;
    return this.#asked.find(work.id) ?? work;
  }

  #endHeld(): { readonly nextMs: number | null; readonly isGood: boolean | null } {
    return { nextMs: this.#slots.findOpen(this.#options.config()), isGood: this.#wasGood };
  }

  #shareFacts(isDecided: boolean): SharedFacts {
    if (isDecided) this.#rereadFacts();
    return { facts: this.#facts.newest(), because: this.#because, awayInARow: this.#slots.awayInARow() };
  }

  async #openUnlessStopped(config: Config): Promise<void> {
    if (!this.#options.signal.aborted && !this.#isRetired) await this.#open(config);
  }

  /** Opens a state folder. Migrates its tables, and continues the schedule where the last process stopped. */
  async #open(config: Config): Promise<void> {
    const { holder, clock, signal } = this.#options;
    const lock = await waitForRunLock(config.state, { holder, clock, signal });
    const releases = [() => lock.close()];
    try {
      const stores = await openState(config.state, { at: isoNow(clock), logger: this.#logger });
      releases.push(() => stores.close());
      await breathe(undefined);
      this.#slots.open(config, stores.history);
      this.#facts.read(config, stores);
    } finally {
      for (const release of releases.toReversed()) {
        release();
        // Each step waits for the disk, and thousands of tenants may be opened in a row.
        await breathe(undefined);
      }
    }
    this.leave();
    this.#opened = config.state;
    this.#mark.renew(config.state);
    this.#facts.print(config.state);
    this.#settle('idle', null);
    const { every, timezone } = scheduleOf(config);
    const facts = { state: config.state, every, timezone, next: formatMs(this.#slots.nextMs()) };
    this.#logger.info(facts, 'tenant ready');
  }

  /** Returns null while the daemon stops. Otherwise the tenant would be looked at again and again. */
  #nextAsked(): AskedWork | null {
    return this.#options.signal.aborted ? null : this.#asked.next(!this.#slots.isPausing());
  }

  #isDue(config: Config): boolean {
    // A pause must not look like an outage, so the heartbeat is still sent.
    if (this.#slots.passesSlot(config)) this.#notifier.ping();
    return (this.#nextAsked() !== null || this.#slots.isDue(config)) && !this.#options.signal.aborted;
  }

  async #run(signal: AbortSignal, held: HeldState | null = null): Promise<void> {
    const config = this.#options.freshConfig();
    const run = newRunId(this.#options.clock);
    this.#log = this.#logger.child({ run });
    // A due slot comes before signals, because its run also finds the signalled changes.
    const mayStart = held !== null || (!this.#slots.isPausing() && this.#slots.find(config).slotMs === null);
    const asked = this.#asked.next(mayStart);
    this.#serving = asked;
    const app = await this.#wire(config, asked, held ?? { signal });
    let tellEnd: (() => void) | null = null;
    try {
      const { history, audit } = app.stores;
      // A reader of a copy cannot create the key.
      if (held !== null) audit.makePseudonymKey();
      // Another process may have run for this slot while this one waited for the lock.
      if (!this.#slots.reread(history) && held === null)
        app.logger.warn({ state: config.state }, 'the state was replaced: the schedule counts from now');
      const due = this.#slots.find(config);
      // A command may have paused the tenant since the facts were read. A person who requested work gets an error instead.
      if (app.paused() !== null && (asked === null || (held === null && asked.order?.signals !== undefined))) {
        this.#facts.read(config, app.stores);
        this.#settle('idle', null);
        return;
      }
      if (asked !== null) {
        tellEnd = await this.#doAsked(asked, run, due, app);
        return;
      }
      if (due.slotMs !== null) {
        await this.#runFor(run, { slotMs: due.slotMs, due, order: null }, app);
        return;
      }
      this.#slots.save(history, due.anchor);
      this.#settle('idle', null);
    } finally {
      await app.close();
      this.#facts.print(config.state);
      // The requester may use the state immediately.
      tellEnd?.();
    }
  }

  /** Performs the requested work. @returns a function that reports its result */
  async #doAsked(asked: AskedWork, run: string, due: Due, app: App): Promise<() => void> {
    const { kind, by, order } = asked;
    this.#asked.begin(asked, kind === 'run' ? run : null);
    app.requireUnpaused();
    const signals = order?.signals;
    if (signals === undefined) app.logger.info({ kind, by }, 'requested on a page');
    if (kind === 'run') {
      const ended = await this.#runFor(run, { slotMs: this.#options.clock.now(), due, order }, app);
      this.#noteSignals(order);
      const told = order === null || order.signals !== undefined ? null : await tellRun(app, ended, order);
      return () => this.#asked.end(run, null, told);
    }
    this.#settle('running', null);
    try {
      if (kind === 'deliveries') {
        const problem = await deliverBetweenRuns(app);
        return () => this.#asked.end(null, problem);
      }
      const { full = false, only = null, undo = null } = order ?? {};
      const planned = await planRun(app, { full, only, undo }, 'plan');
      const told = order === null ? null : await tellPlan(app, planned, order);
      return () => this.#asked.end(planned.head.plan, null, told);
    } finally {
      this.#facts.read(app.config, app.stores);
      this.#settle('idle', null);
    }
  }

  /** Reports the time from each signal to the end of its run. */
  #noteSignals(order: WorkOrder | null): void {
    const { name, clock, watcher } = this.#options;
    for (const { kind, atMs } of order?.signals ?? []) watcher.onSignal(name, kind, (clock.now() - atMs) / 1_000);
  }

  async #runFor(run: string, { slotMs, due, order }: RunTurn, app: App): Promise<RunEnd> {
    const { name, clock, watcher } = this.#options;
    const { full = false, asOf = null, signals } = order ?? {};
    const saved = order?.plan === undefined ? null : await openSavedPlan(app, order.plan);
    const only = order?.only ?? saved?.meta.only ?? null;
    const undo = order?.undo ?? null;
    this.#settle('running', null);
    // A run for one object, another date or a saved plan leaves the slot to the scheduled run.
    const isForSlot = only === null && asOf === null && signals === undefined && saved === null && undo === null;
    if (isForSlot) watcher.onMissed(name, due.missed);
    app.logger.debug({ slot: formatMs(slotMs), missed: due.missed }, 'run starts');
    const atEnd = (): void => {
      if (isForSlot) this.#slots.save(app.stores.history, due.anchor);
    };
    const startedMs = clock.now();
    let ended: RunEnd | null = null;
    try {
      ended = await runOnce(app, {
        command: undo === null ? 'daemon' : 'undo',
        run,
        saved,
        full,
        only,
        undo,
        atEnd,
        ...(signals && { signals }),
      });
      this.#notePause(ended.planned.stopped.some(({ error }) => isAway(error)));
      this.#wasGood = ended.exitCode !== 1;
      if (this.#wasGood) this.#notifier.ping();
      this.#hindrance = null;
      this.#noteHindrance();
      return ended;
    } finally {
      this.#notifier.wake();
      watcher.onRun(name, ended, (clock.now() - startedMs) / 1_000);
      this.#facts.read(app.config, app.stores, ended?.document.near_misses ?? 0);
      this.#settle('idle', null);
    }
  }

  async #wire(
    config: Config,
    asked: AskedWork | null,
    bounds: Pick<WireOptions, 'signal' | 'fence' | 'lock'>,
  ): Promise<App> {
    const { name, clock, holder, watcher, fetch } = this.#options;
    const count = createStepCounter(() => clock.now());
    const onProgress = (step: ProgressStep): void => {
      this.#progress = count(step);
    };
    const onChange = countChanges(() => countToApply(app.stores), onProgress);
    const fresh = createLimiterFor(config, clock);
    if (fresh.of !== this.#limiter.of) this.#limiter = fresh;
    const app: App = await wireApp(config, {
      clock,
      logger: this.#log,
      holder,
      asOf: asked?.order?.asOf ?? null,
      ignoreQuietHours: asked?.order?.ignoreQuietHours ?? false,
      signals: asked?.order?.signals,
      ...bounds,
      limiter: this.#limiter.limiter,
      onCall: (call) => watcher.onCall(name, call),
      onChange(change, result) {
        onChange(change);
        watcher.onChange(name, change, result);
      },
      onProgress,
      ...(asked === null ? {} : { operator: asked.by }),
      ...(fetch === undefined ? {} : { fetch }),
    });
    return app;
  }

  #notePause(isAway: boolean): void {
    const pause = this.#slots.noteAway(isAway);
    if (pause === null) return;
    const facts = { runs: pause.runs, until: formatMs(pause.untilMs) };
    this.#log.warn(facts, 'the service or a source did not answer: the next run waits, and other tenants go first');
  }

  #settle(phase: TenantPhase, because: string | null): void {
    if (phase !== this.#phase) this.#sinceMs = this.#options.clock.now();
    this.#phase = phase;
    this.#because = because;
  }

  #fail(error: SyncError, config: Config): void {
    const isNews = this.#because !== error.message;
    if (error.code === 'SYNC_STATE_LOCKED' || error.code === 'SYNC_STATE_ELSEWHERE') {
      if (isNews) this.#log.warn(toLogFields(error), 'waits for the state');
      this.#settle('locked', error.message);
      return;
    }
    const isUnusable = this.#opened === null || error.code.startsWith('SYNC_STATE_');
    const isStopped = this.#options.signal.aborted;
    // Work requested during a scheduled run still gets a turn if that run failed.
    if (this.#serving !== null || isUnusable) this.#asked.end(null, error);
    this.#settle(isUnusable ? 'broken' : 'idle', isUnusable ? error.message : null);
    if (isStopped || (this.#serving !== null && isOfTheAsker(error))) return;
    this.#hindrance = error;
    this.#noteHindrance();
    if (isUnusable) this.#stopOn(error, config, isNews);
    else this.#noteFailed(error, config);
  }

  #noteFailed(error: SyncError, config: Config): void {
    this.#log.error(toLogFields(error), 'run failed');
    this.#notePause(isAway(error));
    // The next slot tries again in any case. The journal has the calls that were begun.
    this.#slots.skip(config);
  }

  /** Stops the tenant. Repeating a failed migration would only wear the disk, so a person must look at it. */
  #stopOn(error: SyncError, { state }: Config, isNews: boolean): void {
    const phase = error.code === 'SYNC_STATE_MIGRATION' ? 'stopped' : 'broken';
    if (isNews) this.#log.error(toLogFields(error), UNUSABLE[phase]);
    this.#stoppedBy = phase === 'stopped' ? state : null;
    this.#settle(phase, error.message);
  }
}

interface RunTurn {
  readonly slotMs: number;
  readonly due: Due;
  /** Null for a scheduled run. */
  readonly order: WorkOrder | null;
}

/** How long before this daemon claims the tenant again. Nobody repairs a folder faster than this. */
const CLAIM_AGAIN_MS = 30_000;

const UNUSABLE = {
  broken: 'the state cannot be used: the daemon tries again',
  stopped: 'the tables of the state could not be migrated: the tenant is stopped until a restart or SIGHUP',
} as const;

function formatMs(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
