import type { Clock } from '../clock.js';
import type { Config } from '../config/config.js';
import { loadConfig } from '../config/load.js';
import { asSyncError, SyncError } from '../errors.js';
import type { Logger } from '../logger.js';
import { type ConfigFile, findConfigs } from './find-configs.js';
import { scheduleOf } from './schedule-of.js';
import type { Tenant, TenantStatus } from './tenant.js';
import type { TenantWatcher } from './tenant-watcher.js';

/** A new content must stand for so long before it counts: a file half written is no configuration. */
const SETTLE_MS = 4_000;
/** A configuration that could not be used is tried again so often: its secret may have been mounted since. */
const RETRY_MS = 60_000;

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
  /** The one in force; null as long as there was none that could be used. */
  readonly config: Config | null;
  /** null as long as there was no configuration that could be used. */
  readonly status: TenantStatus | null;
}

/** Which tenants there are, by the files that are there now; each keeps its configuration until a better one has come. */
export interface Registry {
  /**
   * Looks at the files again. `settled`: what changed counts once it has stood for a while; `now`: at once.
   *
   * @throws SyncError SYNC_CONFIG_UNREADABLE when the file or folder itself is gone
   */
  look(taking: 'settled' | 'now'): void;
  tenants(): readonly Tenant[];
  /** Resolves when no tenant is at work, those included whose configuration is gone. */
  idle(): Promise<void>;
  list(): readonly Registered[];
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
  tenant: Tenant | null;
}

export function createRegistry(options: RegistryOptions): Registry {
  const { clock, logger, env, watcher } = options;
  const entries = new Map<string, TenantEntry>();
  /** Their configuration is gone; a run of theirs may still be under way. */
  const leaving = new Set<Tenant>();

  function look(taking: 'settled' | 'now'): void {
    const found = new Map(findConfigs(options.target).map((file) => [file.tenant, file]));
    for (const file of found.values()) {
      const entry = entries.get(file.tenant) ?? addEntry(file.tenant);
      const seen = signOf(file);
      if (seen === entry.seen) {
        entry.pending = null;
        if (entry.problem !== null && clock.now() - entry.judgedMs >= RETRY_MS) judge(entry, file);
      } else if (isSettled(entry, seen, taking)) judge(entry, file);
    }
    for (const entry of entries.values()) {
      if (!found.has(entry.name) && isSettled(entry, null, taking)) retire(entry);
    }
  }

  /** A file that was not there before counts at once when the daemon starts, and settles like any other later on. */
  function addEntry(name: string): TenantEntry {
    const entry: TenantEntry = {
      name,
      seen: '',
      pending: null,
      judgedMs: 0,
      accepted: null,
      problem: null,
      tenant: null,
    };
    entries.set(name, entry);
    return entry;
  }

  function isSettled(entry: TenantEntry, seen: string | null, taking: 'settled' | 'now'): boolean {
    const nowMs = clock.now();
    if (entry.pending === null || entry.pending.seen !== seen) entry.pending = { seen, sinceMs: nowMs };
    return taking === 'now' || nowMs - entry.pending.sinceMs >= SETTLE_MS;
  }

  function judge(entry: TenantEntry, { file, content }: ConfigFile): void {
    const before = entry.problem?.message ?? null;
    entry.seen = signOf({ content });
    entry.pending = null;
    entry.judgedMs = clock.now();
    try {
      if (content instanceof SyncError) throw content;
      const config = loadConfig(file, env, content);
      scheduleOf(config);
      checkState(entry, config);
      const accepted: Accepted = { file, text: content, config };
      entry.accepted = accepted;
      entry.problem = null;
      entry.tenant ??= options.createTenant(
        entry.name,
        () => (entry.accepted ?? accepted).config,
        () => freshConfig(entry.name, entry.accepted ?? accepted),
      );
      logger.info({ tenant: entry.name, file, digest: config.digest }, 'configuration taken');
      watcher.onReload(entry.name, true);
    } catch (thrown) {
      const error = asSyncError(thrown);
      entry.problem = error;
      if (before === error.message) return;
      const { code, message, place, remedy, problems } = error;
      const kept = entry.accepted === null ? 'the tenant does not run' : 'the earlier one stays in force';
      logger.error({ tenant: entry.name, code, message, place, remedy, problems }, `configuration refused: ${kept}`);
      watcher.onReload(entry.name, false);
    }
  }

  /** Secrets may have been changed since without a word in the configuration: they are read again for each run. */
  function freshConfig(name: string, accepted: Accepted): Config {
    try {
      accepted.config = loadConfig(accepted.file, env, accepted.text);
    } catch (thrown) {
      const { code, message, place } = asSyncError(thrown);
      logger.error({ tenant: name, code, message, place }, 'secrets could not be read again: those known stay');
    }
    return accepted.config;
  }

  function checkState(entry: TenantEntry, config: Config): void {
    const other = [...entries.values()].find((one) => one !== entry && one.accepted?.config.state === config.state);
    if (other === undefined) return;
    throw new SyncError('SYNC_CONFIG_INVALID', {
      message: `The tenant "${other.name}" has the same state folder.`,
      place: `${config.file}: state`,
      remedy: 'Give each tenant a `state` folder of its own.',
    });
  }

  function tenants(): readonly Tenant[] {
    return [...entries.values()].flatMap(({ tenant }) => (tenant === null ? [] : [tenant]));
  }

  function retire(entry: TenantEntry): void {
    entries.delete(entry.name);
    const { tenant } = entry;
    if (tenant !== null) {
      tenant.retire();
      leaving.add(tenant);
      void tenant.idle().then(() => leaving.delete(tenant));
    }
    logger.info({ tenant: entry.name }, 'configuration gone: the tenant runs no more');
  }

  return {
    look,
    tenants,
    async idle() {
      await Promise.all([...tenants(), ...leaving].map((tenant) => tenant.idle()));
    },
    list: () =>
      [...entries.values()].map(({ name, problem, accepted, tenant }) => ({
        name,
        problem,
        config: accepted?.config ?? null,
        status: tenant?.status() ?? null,
      })),
  };
}

/** Equal for equal contents; an unreadable file is told by why it is unreadable. */
function signOf({ content }: Pick<ConfigFile, 'content'>): string {
  return typeof content === 'string' ? `text ${content}` : `error ${content.message}`;
}
