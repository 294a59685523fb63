import { expectMany } from '../../base/clock.js';
import { asSyncError, type SyncError } from '../../base/errors.js';
import type { Fence } from '../../base/fence.js';
import type { Logger } from '../../base/logger.js';
import type { Config } from '../../config/config.js';
import type { BackendSettings } from '../../config/load-backend.js';
import { type Claimable, createLeases, LEASE_MS, type Lease, type LeaseClock } from '../../store/remote/leases.js';
import { openPostgres, type PostgresSettings } from '../../store/remote/postgres.js';
import { openStateLine } from '../../store/remote/state-line.js';

/** A tenant that is held: its state is here, and nobody else works for it. */
export interface Holding {
  readonly fence: Fence;
  /** Aborted with the reason once another daemon may hold it, or PostgreSQL does not answer. */
  readonly signal: AbortSignal;
  /**
   * Gives it back with what is committed, or without where that is not possible any more.
   *
   * @param nextMs when it is due again, milliseconds since the epoch; null: never
   */
  release(nextMs: number | null, isGood: boolean | null): Promise<void>;
}

/** Where the states of all tenants are, and who works for which. */
export interface Backend {
  /** Makes rows for tenants that are new here. @returns whether PostgreSQL has answered */
  register(tenants: readonly string[]): Promise<boolean>;
  /** Tenants that are due, at most `most`. None if PostgreSQL does not answer: it is asked again soon. */
  claim(candidates: readonly Claimable[], most: number): Promise<readonly Lease[]>;
  /** @param stop ends the work as well */
  hold(lease: Lease, folder: string, stop: AbortSignal): Promise<Holding>;
  close(): Promise<void>;
}

const RENEW_MS = LEASE_MS / 3;
/** Statements of several tenants at a time. */
const CONNECTIONS = 8;

export interface BackendOptions {
  readonly settings: BackendSettings;
  /** How others name this daemon. */
  readonly holder: string;
  readonly clock: LeaseClock;
  readonly logger: Logger;
}

export function openBackend({ settings, holder, clock, logger }: BackendOptions): Backend {
  const postgres = openPostgres(connectionOf(settings, CONNECTIONS));
  const leases = createLeases(postgres, holder, clock);
  const holdings = new Set<() => unknown>();
  let isAway = false;

  /** One line when it goes, and one when it is back. */
  function note(error: SyncError | null): void {
    if (error !== null && !isAway) {
      const { code, message, remedy } = error;
      logger.error({ code, message, remedy }, 'PostgreSQL cannot be asked: no run begins');
    }
    if (error === null && isAway) logger.info('PostgreSQL answers again');
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

  const renewing = setInterval(() => {
    void asking(undefined, () => leases.renew()).then(() => {
      for (const look of holdings) look();
    });
  }, RENEW_MS);

  return {
    register: (tenants) => asking(false, () => leases.register(tenants).then(() => true)),
    claim: (candidates, most) => asking([], () => leases.claimDue(candidates, most)),
    async hold(lease, folder, stop) {
      const line = await openStateLine(postgres, lease, folder).catch((error: unknown) => {
        leases.forget(lease.tenant);
        throw error;
      });
      const ending = new AbortController();
      const look = (): SyncError | null => {
        const error = lease.fault();
        if (error !== null) ending.abort(error);
        return error;
      };
      const follow = (): void => ending.abort(stop.reason);
      stop.addEventListener('abort', follow, { once: true });
      // It may have come while the state was fetched.
      if (stop.aborted) follow();
      expectMany(ending.signal);
      holdings.add(look);
      return {
        fence: {
          ship: () =>
            line.ship().catch((error: unknown) => {
              ending.abort(error);
              throw error;
            }),
          check() {
            const error = look();
            if (error !== null) throw error;
          },
        },
        signal: ending.signal,
        async release(nextMs, isGood) {
          holdings.delete(look);
          stop.removeEventListener('abort', follow);
          try {
            await line.leave();
            await leases.release(lease, { nextSlot: nextMs === null ? null : new Date(nextMs).toISOString(), isGood });
          } catch (error) {
            line.drop();
            leases.forget(lease.tenant);
            const { code, message, remedy } = asSyncError(error);
            logger.warn({ tenant: lease.tenant, code, message, remedy }, 'what was not yet in PostgreSQL is given up');
          }
        },
      };
    },
    async close() {
      clearInterval(renewing);
      await postgres.close();
    },
  };
}

export function connectionOf({ url, ca, isEncrypted }: BackendSettings, connections: number): PostgresSettings {
  const tls = { rejectUnauthorized: true, ...(ca === null ? {} : { ca }) };
  return { url, tls: isEncrypted ? tls : null, connections };
}

/** The longest that a call of this tenant may be under way after its daemon was last heard of. */
export function findLongestCall({ service, sources }: Config): number {
  return Math.max(service.timeoutMs, LEAST_LIMIT_MS, ...listTimeouts(sources));
}

/** Files over SFTP have no limit of their own. */
const LEAST_LIMIT_MS = 30_000;

function listTimeouts(settings: unknown): readonly number[] {
  if (typeof settings !== 'object' || settings === null) return [];
  return Object.entries(settings).flatMap(([key, value]) =>
    key === 'timeoutMs' && typeof value === 'number' ? [value] : listTimeouts(value),
  );
}
