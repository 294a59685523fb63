import { breathe, type Clock, expectMany, goInSteps } from '../base/clock.js';
import { asSyncError, SyncError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { Config } from '../config/config.js';
import { readsAll } from '../connectors/kinds.js';
import type { TenantOperation } from '../operations/operation.js';
import type { LockContext } from '../operations/with-locked-stores.js';
import type { DecisionContext } from '../operations/with-stores.js';
import type { WorkOrder } from '../operations/work-order.js';
import { Signals } from './signals/signals.js';
import type { AskedKind, AskedWork } from './tenants/asked-work.js';
import type { Backend, Performed, UntakenWord } from './tenants/backend.js';
import { type Registered, Registry } from './tenants/registry.js';
import { Tenant } from './tenants/tenant.js';
import type { TenantWatcher } from './tenants/tenant-watcher.js';
import { createWorkSlots, type WorkSlots } from './tenants/work-slots.js';

export interface DaemonOptions {
  /** A configuration, or a folder of one file per tenant. */
  readonly target: string;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The name that other processes see when they find the run lock taken. */
  readonly holder: string;
  readonly watcher: TenantWatcher;
  /** True to wait for states that another process holds. Otherwise, such a state at the start is an error. */
  readonly wait: boolean;
  /** The shared states in PostgreSQL, open to any daemon; null if each state is a local folder. */
  readonly backend?: Backend | null;
  /** How many tenants may work at the same time. */
  readonly parallel: number;
  readonly fetch?: typeof globalThis.fetch;
  /** Address of the operator pages, for tenants that set no `notify.link`. */
  readonly pagesLink?: () => string | null;
}

/**
 * Runs every tenant on its own schedule until it is stopped:
 * - tick (each minute, UTC): configurations ──► due tenants ──► run ──► next slot
 * - poll (each few seconds): changed configurations, tenants that wait for their state, a missed tick
 * - stop: no new run; runs under way finish the calls in flight, and their outcomes reach the disk
 *
 * Tenants share only the process: each has its own state folder, limiter and failures.
 */
export class Daemon {
  /** Starts runs for signalled changes. */
  readonly signals: Signals;
  readonly #options: DaemonOptions;
  readonly #stopping = new AbortController();
  readonly #slots: WorkSlots;
  readonly #openings: WorkSlots;
  readonly #registry: Registry;
  #tickedMs: number;
  #looking: Promise<void> | null = null;
  /** True if files may have changed since the current look read them. */
  #isLookAsked = false;
  #isStarted = false;
  #isClaiming = false;
  #nextRowsMs = 0;
  /** Tenants that have a row in PostgreSQL. */
  readonly #registered = new Set<string>();

  constructor(options: DaemonOptions) {
    const { signal } = this.#stopping;
    expectMany(signal);
    const slots = createWorkSlots({ ...options, what: 'a run' });
    const openings = createWorkSlots({ ...options, what: 'opening a state', parallel: 1 });
    this.#options = options;
    this.#slots = slots;
    this.#openings = openings;
    this.#tickedMs = options.clock.now();
    this.signals = new Signals({
      ...options,
      scheduleOf: (tenant) => {
        const config = this.configOf(tenant);
        return config === null ? null : { ...config.schedule, readsAll: readsAll(config.sources) };
      },
      ...(options.backend == null ? {} : { begin: options.backend.beginSignalled }),
      start: (tenant, by, order) => this.ask(tenant, 'run', by, order),
    });
    this.#registry = new Registry({
      ...options,
      createTenant: (name, config, freshConfig) =>
        new Tenant({
          ...options,
          name,
          config,
          freshConfig,
          signal,
          onCarriedOut: (operation) => this.signals.noteOperation(name, operation),
          inTurn: (work, givesWay) => slots.take(name, work, givesWay),
          openInTurn: (work) => openings.take(name, work, false),
        }),
    });
  }

  /** @throws SyncError if no tenant can run; with a single tenant, the problem of its configuration */
  async start(): Promise<void> {
    const { target, wait, logger } = this.#options;
    await goInSteps(this.#loadInSteps(), this.#stopping.signal);
    const all = this.list();
    if (!all.some(({ status }) => status !== null)) throw nothingToRun(target, all);
    if (!wait && this.#options.backend == null) for (const tenant of this.#registry.tenants()) tenant.checkLock();
    logger.info({ tenants: all.length }, 'daemon started');
    this.#isStarted = true;
    this.tick();
  }

  /** True once all configurations have been read. */
  isStarted(): boolean {
    return this.#isStarted;
  }

  /** Counts each step as a tick, so that the daemon looks alive while it loads. */
  *#loadInSteps(): Generator<void, void> {
    for (const _step of this.#registry.lookInSteps('now')) {
      this.#tickedMs = this.#options.clock.now();
      yield;
    }
  }

  /** Starts the runs that are due. Called once per minute. */
  tick(): void {
    if (this.isStopping()) return;
    this.#tickedMs = this.#options.clock.now();
    this.#slots.look();
    this.#openings.look();
    for (const tenant of this.#registry.tenants()) tenant.remote()?.forgetOld();
    this.#lookAtFiles('settled', (tenant) => tenant.look());
  }

  /** Handles changed files, tenants that wait for something, and a missed tick. Called between ticks. */
  poll(): void {
    if (this.isStopping()) return;
    // The next tick is due at a time of the clock. If the clock was set back, the tick could be far away.
    if (minuteOf(this.#options.clock.now()) !== minuteOf(this.#tickedMs)) {
      this.tick();
      return;
    }
    this.#lookAtFiles('settled', (tenant) => {
      if (tenant.isWaiting() || tenant.isDue()) tenant.look();
    });
  }

  /** Claims due tenants, as many as there are free work slots. Call it about once per second. */
  async claim(): Promise<void> {
    const { backend, parallel } = this.#options;
    if (backend == null || !this.#isStarted || this.isStopping() || this.#isClaiming) return;
    this.#isClaiming = true;
    try {
      const tenants = this.#registry.tenants();
      await this.#lookAtRows(backend);
      const held = tenants.flatMap((tenant) => (tenant.remote()?.isHeld() === true ? [tenant.name()] : []));
      for (const entry of await backend.orders(held)) this.#registry.find(entry.tenant)?.remote()?.take([entry]);
      const candidates = tenants.flatMap((tenant) => tenant.candidate() ?? []);
      const names = candidates.map(({ tenant }) => tenant).filter((name) => !this.#registered.has(name));
      if (names.length > 0 && (await backend.register(names))) for (const name of names) this.#registered.add(name);
      const leases = await backend.claim(candidates, parallel - this.#slots.count());
      for (const lease of leases) {
        const tenant = this.#registry.find(lease.tenant);
        const remote = tenant?.remote() ?? null;
        if (remote === null) await backend.drop(lease);
        else tenant?.lookWith(lease, remote);
      }
    } finally {
      this.#isClaiming = false;
    }
  }

  async #lookAtRows(backend: Backend): Promise<void> {
    if (performance.now() < this.#nextRowsMs) return;
    this.#nextRowsMs = performance.now() + ROWS_MS;
    const rows = await backend.look();
    for (const row of rows ?? []) this.#registry.find(row.tenant)?.note(row);
  }

  /** Reads all configurations again now, without waiting for them to settle. */
  reload(): void {
    if (this.isStopping()) return;
    this.#options.logger.info('configurations are read again');
    if (!this.#isStarted) {
      this.#isLookAsked = true;
      return;
    }
    this.#lookAtFiles('now', (tenant) => {
      tenant.retry();
      tenant.look();
    });
  }

  list(): readonly Registered[] {
    return this.#registry.list();
  }

  /** Like `list()`, but includes changes to the states since their last runs. */
  async listFresh(): Promise<readonly Registered[]> {
    let looked = 0;
    for (const tenant of this.#registry.tenants()) {
      looked += 1;
      if (tenant.refresh() || looked % REFRESHED_TOGETHER === 0) await breathe(undefined);
    }
    return this.list();
  }

  /** Asks for a plan or a run of a tenant now. @returns null if the tenant is unknown */
  async ask(name: string, kind: AskedKind, by: string, order: WorkOrder | null = null): Promise<AskedWork | null> {
    const { backend } = this.#options;
    const tenant = this.#registry.find(name);
    // A signal waits until a pause ends. A person gets an error.
    if (order?.signals === undefined) tenant?.refusePaused();
    if (backend == null || tenant === undefined) return tenant?.ask(kind, by, order) ?? null;
    const asked = await backend.ask(name, kind, by, order);
    void this.claim();
    return asked;
  }

  /** The active configuration of a tenant; null if it has none. */
  configOf(name: string): Config | null {
    return this.#registry.configOf(name);
  }

  /** A requested plan or run, by its id; null if the id is unknown or no longer kept. */
  async findAsked(name: string, id: string): Promise<AskedWork | null> {
    const { backend } = this.#options;
    return backend == null ? (this.#registry.find(name)?.findAsked(id) ?? null) : await backend.findAsked(name, id);
  }

  /** Updates the folder of a tenant to the newest commit. @throws SyncError SYNC_BACKEND_* */
  async bringUp(name: string): Promise<void> {
    await this.#registry.find(name)?.remote()?.bringUp();
  }

  /** Decisions about a tenant that have not taken effect yet. */
  async listUntaken(name: string): Promise<readonly UntakenWord[]> {
    return (await this.#options.backend?.listUntaken(name)) ?? [];
  }

  /** Carries out an operation, here or on the daemon that holds the tenant. */
  async perform<Input, Document>(
    tenant: string,
    operation: TenantOperation<Input, Document>,
    context: DecisionContext & LockContext,
    input: Input,
  ): Promise<Performed<Document>> {
    const { backend } = this.#options;
    if (backend == null || operation.needs === 'a copy') {
      const document = await operation.perform(context, input);
      this.signals.noteOperation(tenant, operation.name);
      // Someone may have decided something, even during a run, so the facts are read again.
      if (operation.needs !== 'a copy') this.#registry.find(tenant)?.reread();
      return { document, isTakenIn: true };
    }
    const performed = await backend.perform({ tenant, operation, context, input, onPut: () => void this.claim() });
    this.signals.noteOperation(tenant, operation.name);
    return performed;
  }

  /** Time of the last tick, in milliseconds since the epoch. A daemon without new ticks is dead. */
  lastTickMs(): number {
    return this.#tickedMs;
  }

  /** Resolves when no work is under way. */
  async idle(): Promise<void> {
    await this.#looking;
    await this.#registry.idle();
  }

  /** Resolves when every run has stopped with its outcomes on disk. */
  async stop(): Promise<void> {
    this.signals.close();
    this.#stopping.abort(new Error('the daemon stops'));
    await this.idle();
    for (const tenant of this.#registry.tenants()) tenant.leave();
  }

  isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Reads the configuration files, one look at a time, and then calls `then` for each tenant. */
  #lookAtFiles(taking: 'settled' | 'now', then: (tenant: Tenant) => void): void {
    if (taking === 'now') this.#isLookAsked = true;
    const looked = (this.#looking ?? this.#lookInTurns()).then(() => this.#eachTenant(then));
    this.#looking = looked;
    void looked.then(() => {
      if (this.#looking === looked) this.#looking = null;
    });
  }

  async #eachTenant(work: (tenant: Tenant) => void): Promise<void> {
    for (const [at, tenant] of this.#registry.tenants().entries()) {
      if (this.isStopping()) return;
      // Opening a state, or finding that a run is due, takes tens of milliseconds.
      const isAlone = tenant.isWaiting() || tenant.isDue();
      work(tenant);
      if (isAlone || at % TENANTS_TOGETHER === TENANTS_TOGETHER - 1) await breathe(undefined);
    }
  }

  async #lookInTurns(): Promise<void> {
    const taking = this.#isLookAsked ? 'now' : 'settled';
    this.#isLookAsked = false;
    try {
      await goInSteps(this.#registry.lookInSteps(taking), this.#stopping.signal);
    } catch (error) {
      if (this.isStopping()) return;
      // The folder is temporarily missing, for example while a volume is remounted. Current runs continue.
      const { code, message, place, remedy } = asSyncError(error);
      this.#options.logger.error({ code, message, place, remedy }, 'configurations cannot be read');
    }
    if (this.#isLookAsked) await this.#lookInTurns();
  }
}

/** Number of tenants handled before yielding. Finding that nothing is due takes less than a millisecond per tenant. */
const TENANTS_TOGETHER = 20;
/** How often the daemon reads the rows of all tenants from PostgreSQL. */
const ROWS_MS = 2_000;
/** Number of tenants refreshed before yielding. An unchanged state needs only two file stats. */
const REFRESHED_TOGETHER = 250;

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
    remedy: first === undefined ? 'Put one *.yaml file per tenant into it.' : 'Correct the problems listed.',
    problems,
  });
}
