import { asSyncError, SyncError, toLogFields } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { Config } from '../../config/config.js';
import type { BackendSettings } from '../../config/load-backend.js';
import { findOperation } from '../../operations/all-operations.js';
import type { TenantOperation } from '../../operations/operation.js';
import type { LockContext } from '../../operations/with-locked-stores.js';
import type { DecisionContext } from '../../operations/with-stores.js';
import type { WorkOrder } from '../../operations/work-order.js';
import { newestOf } from '../../store/migrate.js';
import type { LineId } from '../../store/remote/file-line.js';
import type { Holding } from '../../store/remote/hold-state.js';
import type { Inbox, InboxEntry } from '../../store/remote/inbox.js';
import { AS_BEFORE, type Claimable, type Lease, type LeaseClock, type Released } from '../../store/remote/leases.js';
import type { PostgresSettings } from '../../store/remote/postgres.js';
import { openPushedFile } from '../../store/remote/pushed-file.js';
import { openRemoteStates, RENEW_MS } from '../../store/remote/remote-states.js';
import { openSharedFile, type SharedFile, type SharedFileOptions } from '../../store/remote/shared-file.js';
import { bringUpCopy } from '../../store/remote/state-line.js';
import type { RemoteTenantRow } from '../../store/remote/tenant-rows.js';
import { beginSignalled, claimWatches } from '../../store/remote/watches.js';
import type { AskedKind, AskedWork } from './asked-work.js';
import { ORDER_KINDS, openAnswer, orderOf, toAskedWork, whoOf, workOrderOf } from './orders.js';

/** Where the states of all tenants are stored, and which daemon works for which tenant. */
export interface Backend {
  readonly inbox: Inbox;
  /** Creates rows for new tenants. @returns true if PostgreSQL answered */
  register(tenants: readonly string[]): Promise<boolean>;
  /** Claims at most `most` due tenants; none if PostgreSQL does not answer. */
  claim(candidates: readonly Claimable[], most: number): Promise<readonly Lease[]>;
  /** Holds a claimed tenant. @param stop also ends the work */
  hold(lease: Lease, work: HeldWork, stop: AbortSignal): Promise<Holding>;
  /** Releases a tenant. Data that can no longer be shipped is dropped, with a log entry. */
  release(holding: Holding, found: Released): Promise<void>;
  /** Drops an unused claim. */
  drop(lease: Lease): Promise<void>;
  /** Pending orders of these tenants. */
  orders(tenants: readonly string[]): Promise<readonly InboxEntry[]>;
  /** Decisions about a tenant that its holder has not applied yet. */
  listUntaken(tenant: string): Promise<readonly UntakenWord[]>;
  /** The rows of all tenants; null if PostgreSQL does not answer. */
  look(): Promise<readonly RemoteTenantRow[] | null>;
  /** Updates the folder to the state in PostgreSQL, for readers. The caller holds its lock. */
  bringUp(tenant: string, folder: string): Promise<void>;
  /** Has an operation carried out by the daemon that holds the tenant, or that claims it next. */
  perform<Input, Document>(asked: AskedOperation<Input, Document>): Promise<Performed<Document>>;
  ask(tenant: string, kind: AskedKind, by: string, order: WorkOrder | null): Promise<AskedWork>;
  findAsked(tenant: string, id: string): Promise<AskedWork | null>;
  /** The shared file of pushed users and groups of a tenant, which all daemons write. */
  pushed(tenant: string, folder: string): SharedFile;
  /**
   * Claims or renews the watch over sources.
   *
   * @returns the tenants that this daemon watches; null if PostgreSQL does not answer
   */
  watch(tenants: readonly string[]): Promise<readonly string[] | null>;
  /** Counts a run as started by signals. @returns milliseconds until such a run may start, 0 if it counts */
  beginSignalled(tenant: string, apartMs: number): Promise<number>;
  /** Opens a file that all daemons write. */
  share(line: LineId, options: SharedFileOptions): SharedFile;
  /** False if PostgreSQL did not answer the last query, or was not queried yet. */
  answers(): boolean;
  close(): Promise<void>;
}

/** A decision that was checked and stored, and has not taken effect yet. */
export interface UntakenWord {
  /** Name of the operation: `approve`. */
  readonly operation: string;
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

export interface HeldWork {
  readonly folder: string;
  /** Returns the current progress, for other daemons. */
  readonly doing: () => object | null;
}

export interface AskedOperation<Input, Document> {
  readonly tenant: string;
  readonly operation: TenantOperation<Input, Document>;
  readonly context: DecisionContext & LockContext;
  readonly input: Input;
  /** Called once the order is stored, so that the daemon can claim the tenant immediately. */
  readonly onPut: () => void;
}

export interface Performed<Document> {
  readonly document: Document;
  /**
   * False if the decision was only checked and stored. The decision then takes effect when the holder of the tenant reads
   * it.
   */
  readonly isTakenIn: boolean;
}

/** Number of database connections. Several tenants can run statements at the same time. */
const CONNECTIONS = 8;
/**
 * How long to wait for the holder, which reads its inbox every second. If the holder has died, waiting longer would not
 * help.
 */
const WORD_MS = 5_000;
/** The pages may take up to half a minute to answer. */
const TURN_MS = 25_000;
const LOOK_MS = 150;

export interface BackendOptions {
  readonly settings: BackendSettings;
  /** The name of this daemon for others. */
  readonly holder: string;
  readonly clock: LeaseClock;
  readonly logger: Logger;
}

export function openBackend({ settings, holder, clock, logger }: BackendOptions): Backend {
  const schema = newestOf('state');
  const { postgres, leases, inbox, rows, hold } = openRemoteStates(connectionOf(settings, CONNECTIONS), {
    ...{ holder, clock, schema, orders: ORDER_KINDS },
  });
  const held = new Map<string, { readonly holding: Holding; readonly doing: HeldWork['doing'] }>();
  const shared: SharedFile[] = [];
  /** Folder of a state → the file of users pushed to its tenant. */
  const pushed = new Map<string, SharedFile>();
  /** Null before the first query. */
  let isAway: boolean | null = null;
  let isWarned = false;

  /** Logs one line when PostgreSQL stops answering, and one when it answers again. */
  function note(error: SyncError | null): void {
    if (error !== null && isAway !== true) {
      const { code, message, remedy } = error;
      logger.error({ code, message, remedy }, 'PostgreSQL does not answer: no run starts');
    }
    if (error === null && isAway === true) logger.info('PostgreSQL answers again');
    isAway = error !== null;
  }

  async function asking<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
    try {
      const answer = await work();
      note(null);
      return answer;
    } catch (error) {
      note(asSyncError(error));
      return otherwise;
    }
  }

  function warnOfStandby({ durability }: Lease): void {
    const isWeak = durability.standbys > 0 && !durability.isSynchronous;
    if (isWeak && !isWarned) {
      const remedy =
        'Set `synchronous_standby_names` in PostgreSQL, or accept it: the next plan says what may be missing.';
      logger.warn(
        { standbys: durability.standbys, remedy },
        'a failover may lose commits: the standby is asynchronous',
      );
    }
    isWarned = isWeak;
  }

  const renewing = setInterval(() => {
    void asking(undefined, () => leases.renew((tenant) => held.get(tenant)?.doing() ?? null)).then(() => {
      for (const { holding } of held.values()) holding.look();
    });
  }, RENEW_MS);

  async function waitFor(tenant: string, id: string, waitMs: number): Promise<InboxEntry | null> {
    const endMs = performance.now() + waitMs;
    for (;;) {
      const entry = await inbox.find(tenant, id);
      if (entry?.state === 'ended') return entry;
      if (performance.now() >= endMs) return null;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  return {
    inbox,
    register: (tenants) => asking(false, () => leases.register(tenants).then(() => true)),
    claim: (candidates, most) => asking([], () => leases.claimDue(candidates, most)),
    async hold(lease, { folder, doing }, stop) {
      warnOfStandby(lease);
      const at = new Date(clock.now()).toISOString();
      const holding = await hold(lease, { folder, at, stop });
      held.set(lease.tenant, { holding, doing });
      const { lostFrom } = holding;
      if (lostFrom !== null) {
        const remedy =
          'Check what was approved, declined and linked since then: some decisions may have to be repeated.';
        logger.warn({ tenant: lease.tenant, from: lostFrom, remedy }, 'decisions since then may be missing');
      }
      return holding;
    },
    async release(holding, found) {
      const { tenant } = holding.lease;
      held.delete(tenant);
      try {
        await holding.release(found);
      } catch (error) {
        logger.warn({ tenant, ...toLogFields(asSyncError(error)) }, 'commits that were not yet in PostgreSQL are lost');
      }
    },
    async drop(lease) {
      await asking(undefined, () => leases.release(lease, { nextSlot: AS_BEFORE, isGood: null }).then(() => undefined));
    },
    orders: (tenants) => (tenants.length === 0 ? Promise.resolve([]) : asking([], () => inbox.waiting(tenants))),
    async listUntaken(tenant) {
      const waiting = await asking([], () => inbox.waiting([tenant]));
      const words = waiting.filter((entry) => findOperation(entry.kind)?.needs === 'a word');
      return words.map(({ kind, content, atMs }) => ({ operation: kind, by: whoOf(content), atMs }));
    },
    look: () => asking(null, () => rows.look()),
    async bringUp(tenant, folder) {
      await bringUpCopy(postgres, tenant, folder);
    },
    async perform({ tenant, operation, context, input, onPut }) {
      const isWord = operation.needs === 'a word';
      // Check against the newest copy first, so that a mistake is reported immediately.
      const trial = isWord ? await operation.perform({ ...context, isTrial: true }, input) : null;
      const id = await inbox.put(orderOf(tenant, operation, context, input));
      onPut();
      const entry = await waitFor(tenant, id, isWord ? WORD_MS : TURN_MS + (operation.answerMs ?? 0));
      if (entry !== null) return { document: openAnswer(entry), isTakenIn: true };
      if (trial !== null) return { document: trial, isTakenIn: false };
      await inbox.withdraw(tenant, id);
      throw isAtWork(tenant);
    },
    async ask(tenant, kind, by, order) {
      const id = await inbox.put(workOrderOf(tenant, kind, by, order));
      const entry = await inbox.find(tenant, id);
      const work = entry === null ? null : toAskedWork(entry);
      if (work === null) throw new Error(`${tenant}: the order is gone`);
      return work;
    },
    async findAsked(tenant, id) {
      const entry = await inbox.find(tenant, id);
      return entry === null ? null : toAskedWork(entry);
    },
    pushed(tenant, folder) {
      const known = pushed.get(folder);
      if (known !== undefined) return known;
      const now = (): string => new Date(clock.now()).toISOString();
      const file = openPushedFile(postgres, { tenant, folder, now });
      pushed.set(folder, file);
      return file;
    },
    watch: (tenants) => asking(null, () => claimWatches(postgres, holder, tenants)),
    beginSignalled: (tenant, apartMs) => beginSignalled(postgres, tenant, apartMs),
    share(line, options) {
      const file = openSharedFile(postgres, line, options);
      shared.push(file);
      return file;
    },
    answers: () => isAway === false,
    async close() {
      clearInterval(renewing);
      for (const file of [...shared, ...pushed.values()]) file.close();
      await postgres.close();
    },
  };
}

function isAtWork(tenant: string): SyncError {
  return new SyncError('SYNC_STATE_LOCKED', {
    message: `${tenant} is working, and this waits for its turn.`,
    place: tenant,
    remedy: 'Try it again when the run has ended.',
  });
}

export function connectionOf({ url, ca, key, isEncrypted }: BackendSettings, connections: number): PostgresSettings {
  const tls = { rejectUnauthorized: true, ...(ca === null ? {} : { ca }) };
  return { url, key, tls: isEncrypted ? tls : null, connections };
}

/** The maximum time in milliseconds that a call of this tenant may still run after its daemon was last heard from. */
export function findLongestCall({ service, sources, reports, documents }: Config): number {
  return Math.max(service.timeoutMs, LEAST_LIMIT_MS, ...listTimeouts([sources, reports, documents]));
}

/** Local files have no time limit in the configuration. */
const LEAST_LIMIT_MS = 30_000;

function listTimeouts(settings: unknown): readonly number[] {
  if (typeof settings !== 'object' || settings === null) return [];
  return Object.entries(settings).flatMap(([key, value]) =>
    key === 'timeoutMs' && typeof value === 'number' ? [value] : listTimeouts(value),
  );
}
