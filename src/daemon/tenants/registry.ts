import { resolve } from 'node:path';
import type { Clock } from '../../base/clock.js';
import { asSyncError, describeError, SyncError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { Config } from '../../config/config.js';
import { loadConfig } from '../../config/load.js';
import { DAEMON_FILE } from '../../config/load-web.js';
import { type ConfigFile, findConfigs, type KnownConfigs } from './find-configs.js';
import { scheduleOf } from './schedule-of.js';
import type { Tenant, TenantStatus } from './tenant.js';
import type { TenantWatcher } from './tenant-watcher.js';

/** New content counts only after it has been stable this long, because a half-written file is not a configuration. */
const SETTLE_MS = 4_000;
/** How often a rejected configuration is tried again. The secret of the configuration may have been mounted in the meantime. */
const RETRY_MS = 60_000;

/** Number of unchanged files checked before yielding. */
const LOOKS_TOGETHER = 100;

export interface RegistryOptions {
  /** A configuration, or a folder of them. */
  readonly target: string;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly watcher: Pick<TenantWatcher, 'onReload'>;
  readonly createTenant: (name: string, config: () => Config, freshConfig: () => Config) => Tenant;
}

/** One tenant with its last judged configuration and its state. */
export interface Registered {
  readonly name: string;
  /** The error of the configuration on disk. An older configuration may still be active. */
  readonly problem: SyncError | null;
  /** When the error began, in milliseconds since the epoch. */
  readonly problemSinceMs?: number | null;
  /** The active configuration; null until one was valid. */
  readonly config: Config | null;
  /** The file content that the active configuration was read from. */
  readonly text: string | null;
  /** Null until a configuration was valid. */
  readonly status: TenantStatus | null;
}

interface Accepted {
  readonly file: string;
  readonly text: string;
  config: Config;
}

interface TenantEntry {
  readonly name: string;
  /** Identifies the content that was judged last. */
  seen: string;
  pending: { readonly seen: string | null; readonly sinceMs: number } | null;
  judgedMs: number;
  /** The active configuration, with the text it was read from. The file on disk may be newer but rejected. */
  accepted: Accepted | null;
  problem: SyncError | null;
  problemSinceMs: number | null;
  tenant: Tenant | null;
}

/** Knows the tenants by the files that exist now. Each tenant keeps its configuration until a newer valid one arrives. */
export class Registry {
  readonly #options: RegistryOptions;
  readonly #entries = new Map<string, TenantEntry>();
  readonly #files: KnownConfigs = new Map();
  /** State folder → the tenant whose active configuration uses it. */
  readonly #states = new Map<string, string>();
  /** Tenants with a removed configuration. These tenants may still be finishing a run. */
  readonly #leaving = new Set<Tenant>();

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /**
   * Reads the files again. With `settled`, a change counts once it has been stable for a while; with `now`, immediately.
   *
   * @throws SyncError SYNC_CONFIG_UNREADABLE if the file or folder no longer exists
   */
  look(taking: 'settled' | 'now'): void {
    for (const _step of this.lookInSteps(taking));
  }

  /** Like `look`, but in steps so that the caller can yield, because judging a configuration takes about 20 ms. */
  *lookInSteps(taking: 'settled' | 'now'): Generator<void, void> {
    const found = new Set<string>();
    let looked = 0;
    const { target, clock } = this.#options;
    for (const file of findConfigs(target, this.#files, clock.now())) {
      found.add(file.tenant);
      const entry = this.#entries.get(file.tenant) ?? this.#addEntry(file.tenant);
      const isToJudge = this.#isToJudge(entry, file, taking);
      if (isToJudge) this.#judge(entry, file);
      looked += 1;
      if (isToJudge || looked % LOOKS_TOGETHER === 0) yield;
    }
    this.#retireGone(found, taking);
  }

  #retireGone(found: ReadonlySet<string>, taking: 'settled' | 'now'): void {
    for (const entry of this.#entries.values()) {
      if (!found.has(entry.name) && this.#isSettled(entry, null, taking)) this.#retire(entry);
    }
    const isGone = ({ tenant }: ConfigFile): boolean => !found.has(tenant);
    for (const [path, file] of this.#files) if (isGone(file)) this.#files.delete(path);
  }

  tenants(): readonly Tenant[] {
    return [...this.#entries.values()].flatMap(({ tenant }) => (tenant === null ? [] : [tenant]));
  }

  /** The active configuration of a tenant; null if it has none. */
  configOf(name: string): Config | null {
    return this.#entries.get(name)?.accepted?.config ?? null;
  }

  find(name: string): Tenant | null {
    return this.#entries.get(name)?.tenant ?? null;
  }

  /** Resolves when no tenant is working, including tenants with a removed configuration. */
  async idle(): Promise<void> {
    await Promise.all([...this.tenants(), ...this.#leaving].map((tenant) => tenant.idle()));
  }

  list(): readonly Registered[] {
    return [...this.#entries.values()].map(({ name, problem, problemSinceMs, accepted, tenant }) => ({
      name,
      problem,
      problemSinceMs,
      config: accepted?.config ?? null,
      text: accepted?.text ?? null,
      status: tenant?.status() ?? null,
    }));
  }

  /** At the start of the daemon, a new file counts immediately. Later, its content must first be stable. */
  #addEntry(name: string): TenantEntry {
    const none = { pending: null, accepted: null, problem: null, problemSinceMs: null, tenant: null };
    const entry = { ...none, name, seen: '', judgedMs: 0 };
    this.#entries.set(name, entry);
    return entry;
  }

  /** A rejected configuration is judged again from time to time, even if it has not changed. */
  #isToJudge(entry: TenantEntry, file: ConfigFile, taking: 'settled' | 'now'): boolean {
    const seen = signOf(file);
    if (seen !== entry.seen) return this.#isSettled(entry, seen, taking);
    entry.pending = null;
    return entry.problem !== null && this.#options.clock.now() - entry.judgedMs >= RETRY_MS;
  }

  #isSettled(entry: TenantEntry, seen: string | null, taking: 'settled' | 'now'): boolean {
    const nowMs = this.#options.clock.now();
    if (entry.pending === null || entry.pending.seen !== seen) entry.pending = { seen, sinceMs: nowMs };
    return taking === 'now' || nowMs - entry.pending.sinceMs >= SETTLE_MS;
  }

  #judge(entry: TenantEntry, file: ConfigFile): void {
    const { clock, watcher } = this.#options;
    const before = problemOf(entry.problem);
    entry.seen = signOf(file);
    entry.pending = null;
    entry.judgedMs = clock.now();
    try {
      this.#accept(entry, file);
      watcher.onReload(entry.name, true);
    } catch (thrown) {
      const error = asSyncError(thrown);
      entry.problem = error;
      entry.problemSinceMs ??= entry.judgedMs;
      entry.tenant?.noteProblem(error);
      if (before === problemOf(error)) return;
      this.#logRefusal(entry, error);
      watcher.onReload(entry.name, false);
    }
  }

  #accept(entry: TenantEntry, { file, content }: ConfigFile): void {
    const { env, logger, createTenant } = this.#options;
    const { name } = entry;
    if (content instanceof SyncError) throw content;
    const config = loadConfig(file, env, content);
    scheduleOf(config);
    this.#checkPages(file, config);
    this.#checkState(entry, config);
    const accepted: Accepted = { file, text: content, config };
    this.#leaveState(entry);
    this.#states.set(config.state, name);
    entry.accepted = accepted;
    entry.problem = null;
    entry.problemSinceMs = null;
    const inForce = (): Accepted => entry.accepted ?? accepted;
    entry.tenant ??= createTenant(
      name,
      () => inForce().config,
      () => this.#freshConfig(name, inForce()),
    );
    entry.tenant.noteProblem(null);
    logger.info({ tenant: name, file, digest: config.digest }, 'configuration taken');
  }

  #logRefusal({ name, accepted }: TenantEntry, { code, message, place, remedy, problems }: SyncError): void {
    const kept = accepted === null ? 'the tenant does not run' : 'the earlier one stays active';
    const facts = { tenant: name, code, message, place, remedy, problems };
    this.#options.logger.error(facts, `configuration rejected: ${kept}`);
  }

  /** Secrets may change while the configuration does not, so they are read again for each run. */
  #freshConfig(name: string, accepted: Accepted): Config {
    try {
      accepted.config = loadConfig(accepted.file, this.#options.env, accepted.text);
    } catch (thrown) {
      const { code, message, place } = asSyncError(thrown);
      const facts = { tenant: name, code, message, place };
      this.#options.logger.error(facts, 'secrets could not be read again: the known ones stay active');
    }
    return accepted.config;
  }

  #checkPages(file: string, { hasPages }: Config): void {
    if (!hasPages || resolve(file) === resolve(this.#options.target)) return;
    throw new SyncError('SYNC_CONFIG_INVALID', {
      message: 'The operator pages belong to all tenants, not to this one.',
      place: `${file}: web`,
      remedy: `Move \`web:\` to ${DAEMON_FILE} in the same folder.`,
    });
  }

  #checkState(entry: TenantEntry, config: Config): void {
    const other = this.#states.get(config.state);
    if (other === undefined || other === entry.name) return;
    throw new SyncError('SYNC_CONFIG_INVALID', {
      message: `The tenant "${other}" has the same state folder.`,
      place: `${config.file}: state`,
      remedy: 'Give each tenant a `state` folder of its own.',
    });
  }

  #leaveState({ accepted }: TenantEntry): void {
    if (accepted !== null) this.#states.delete(accepted.config.state);
  }

  #retire(entry: TenantEntry): void {
    const { name, tenant } = entry;
    this.#leaveState(entry);
    this.#entries.delete(name);
    if (tenant !== null) {
      tenant.retire();
      this.#leaving.add(tenant);
      void tenant.idle().then(() => {
        tenant.remote()?.retire();
        tenant.leave();
        this.#leaving.delete(tenant);
      });
    }
    this.#options.logger.info({ tenant: name }, 'configuration removed: the tenant no longer runs');
  }
}

/** Equal for equal contents; for an unreadable file, the reason why it cannot be read. */
function signOf({ content }: Pick<ConfigFile, 'content'>): string {
  return typeof content === 'string' ? `text ${content}` : `error ${content.message}`;
}

/** Returns the complete error as text, so that a different mistake is reported as new. */
function problemOf(error: SyncError | null): string | null {
  return error === null ? null : JSON.stringify(describeError(error));
}
