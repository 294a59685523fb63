import { tmpdir } from 'node:os';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import type { Config } from '../../config/config.js';
import { listMissingFolders } from '../../config/list-local-folders.js';
import { createTransferLimit } from '../../connectors/drop/open-store.js';
import { DecisionWatch } from './decision-watch.js';
import { FileWatch } from './file-watch.js';
import { ServiceWatch } from './service-watch.js';
import type { Signals } from './signals.js';

interface WatchedDaemon {
  readonly signals: Pick<Signals, 'signal' | 'takeBack'>;
  list(): readonly { readonly name: string; readonly config: Config | null }[];
  isStopping(): boolean;
}

export interface WatchOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * For daemons that share tenants. Claims or renews the watch over these tenants, and returns the tenants that this daemon
   * watches. Null if PostgreSQL does not answer.
   */
  readonly claim: ((tenants: readonly string[]) => Promise<readonly string[] | null>) | null;
}

const CLAIM_MS = 10_000;
/** How long a claim lasts if later claims fail. Other daemons wait a little longer before they take over. */
const KEPT_MS = 25_000;

/** Watches files and the service for tenants whose configuration asks for it. */
export function watchAll(daemon: WatchedDaemon, { clock, logger, claim }: WatchOptions) {
  const { signals } = daemon;
  /** Tenant → time until which this daemon watches it. */
  const watched = new Map<string, number>();
  const listTenants = (isWanted: (schedule: Config['schedule']) => boolean) =>
    daemon.isStopping()
      ? []
      : daemon
          .list()
          .flatMap(({ name, config }) => (config !== null && isWanted(config.schedule) ? [{ name, config }] : []));
  const tenantsWith: typeof listTenants = (isWanted) =>
    listTenants(isWanted).filter(({ name }) => claim === null || (watched.get(name) ?? 0) > clock.now());

  async function claimAll(): Promise<void> {
    const wanted = listTenants(({ onChange, watchServiceMs }) => onChange === true || watchServiceMs !== undefined);
    // A folder that is missing here may be on another machine.
    const here = wanted.filter(({ config }) => listMissingFolders(config).length === 0);
    const asked = clock.now();
    const mine = (await claim?.(here.map(({ name }) => name))) ?? null;
    if (mine === null) return;
    watched.clear();
    for (const name of mine) watched.set(name, asked + KEPT_MS);
  }

  const claiming = claim === null ? null : setInterval(() => void claimAll(), CLAIM_MS);
  claiming?.unref();
  const context = { clock, downloads: tmpdir(), limitTransfers: createTransferLimit() };
  const files = new FileWatch({
    ...{ logger, signals, context, isShared: claim !== null },
    tenants: () => tenantsWith(({ onChange }) => onChange === true),
  });
  const service = new ServiceWatch({
    ...{ clock, logger, signals },
    tenants: () => tenantsWith(({ watchServiceMs }) => watchServiceMs !== undefined),
  });
  // With PostgreSQL, commands decide through the inbox, as the pages do.
  const decisions = new DecisionWatch({
    ...{ clock, logger, signals },
    tenants: () => (claim === null ? listTenants(({ onChange }) => onChange === true) : []),
  });
  return {
    /** Claims the watch over tenants. Resolves when done. */
    claimAll,
    watched: () => tenantsWith(() => true).map(({ name }) => name),
    async close(): Promise<void> {
      if (claiming !== null) clearInterval(claiming);
      service.close();
      decisions.close();
      await files.close();
    },
  };
}
