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

/** A new content must stand for so long before it counts: a file half written is no configuration. */
const SETTLE_MS = 4_000;
/** A configuration that could not be used is tried again so often: its secret may have been mounted since. */
const RETRY_MS = 60_000;

/** Files that look the same as before, looked at in one go. */
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

/** What is known of one tenant: its configuration as judged last, and its life. */
export interface Registered {
  readonly name: string;
  /** What is wrong with the configuration on disk; an older one may be in force all the same. */
  readonly problem: SyncError | null;
  /** Since when something is wrong with it, milliseconds since the epoch. */
  readonly problemSinceMs?: number | null;
  /** The one in force; null as long as there was none that could be used. */
  readonly config: Config | null;
  /** What it was read from, as it stood in the file. */
  readonly text: string | null;
  /** null as long as there was no configuration that could be used. */
  readonly status: TenantStatus | null;
}

interface Accepted {
  readonly file: string;
  readonly text: string;
  config: Config;
}

interface TenantEntry {
  readonly name: string;
  /** What was judged last. */
  seen: string;
  pending: { readonly seen: string | null; readonly sinceMs: number } | null;
  judgedMs: number;
  /** In force, with the text it was read from: what is on disk now may be another, and refused. */
  accepted: Accepted | null;
  problem: SyncError | null;
  problemSinceMs: number | null;
  tenant: Tenant | null;
}

/** Which tenants there are, by the files that are there now; each keeps its configuration until a better one has come. */
export class Registry {
  readonly #options: RegistryOptions;
  readonly #entries = new Map<string, TenantEntry>();
  readonly #files: KnownConfigs = new Map();
  /** State folder → the tenant whose configuration in force has it. */
  readonly #states = new Map<string, string>();
  /** Their configuration is gone; a run of theirs may still be under way. */
  readonly #leaving = new Set<Tenant>();

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /**
   * Looks at the files again. `settled`: what changed counts once it has stood for a while; `now`: at once.
   *
   * @throws SyncError SYNC_CONFIG_UNREADABLE when the file or folder itself is gone
   */
  look(taking: 'settled' | 'now'): void {
    for (const _step of this.lookInSteps(taking));
  }

  /** The same with pauses, in which others get their turn: to judge a configuration takes some 20 ms. */
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

  /** The configuration in force of a tenant; null where it has none. */
  configOf(name: string): Config | null {
    return this.#entries.get(name)?.accepted?.config ?? null;
  }

  find(name: string): Tenant | null {
    return this.#entries.get(name)?.tenant ?? null;
  }

  /** Resolves when no tenant is at work, those included whose configuration is gone. */
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

  /** A file that was not there before counts at once when the daemon starts, and settles like any other later on. */
  #addEntry(name: string): TenantEntry {
    const none = { pending: null, accepted: null, problem: null, problemSinceMs: null, tenant: null };
    const entry = { ...none, name, seen: '', judgedMs: 0 };
    this.#entries.set(name, entry);
    return entry;
  }

  /** What was refused is judged again from time to time, even when it has not changed. */
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
    const kept = accepted === null ? 'the tenant does not run' : 'the earlier one stays in force';
    const facts = { tenant: name, code, message, place, remedy, problems };
    this.#options.logger.error(facts, `configuration refused: ${kept}`);
  }

  /** Secrets may have been changed since without a word in the configuration: they are read again for each run. */
  #freshConfig(name: string, accepted: Accepted): Config {
    try {
      accepted.config = loadConfig(accepted.file, this.#options.env, accepted.text);
    } catch (thrown) {
      const { code, message, place } = asSyncError(thrown);
      const facts = { tenant: name, code, message, place };
      this.#options.logger.error(facts, 'secrets could not be read again: those known stay');
    }
    return accepted.config;
  }

  #checkPages(file: string, { hasPages }: Config): void {
    if (!hasPages || resolve(file) === resolve(this.#options.target)) return;
    throw new SyncError('SYNC_CONFIG_INVALID', {
      message: 'The operator pages are those of all tenants, not of this one.',
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
        this.#leaving.delete(tenant);
      });
    }
    this.#options.logger.info({ tenant: name }, 'configuration gone: the tenant runs no more');
  }
}

/** Equal for equal contents; of an unreadable file it is the reason. */
function signOf({ content }: Pick<ConfigFile, 'content'>): string {
  return typeof content === 'string' ? `text ${content}` : `error ${content.message}`;
}

/** All that is wrong, so that another mistake is news. */
function problemOf(error: SyncError | null): string | null {
  return error === null ? null : JSON.stringify(describeError(error));
}
