import { type Holding, type HoldOptions, holdState } from './hold-state.js';
import { createInbox, type Inbox } from './inbox.js';
import { createLeases, LEASE_MS, type Lease, type LeaseClock, type Leases } from './leases.js';
import { openPostgres, type Postgres, type PostgresSettings } from './postgres.js';
import { createTenantRows, type TenantRows } from './tenant-rows.js';

/** How often leases are renewed. */
export const RENEW_MS = LEASE_MS / 3;

/** One process's access to everything in PostgreSQL. */
export interface RemoteStates {
  readonly postgres: Postgres;
  readonly leases: Leases;
  readonly inbox: Inbox;
  readonly rows: TenantRows;
  /** The newest schema of a state that this program knows. */
  readonly schema: number;
  /**
   * Fetches a claimed tenant's state into its folder. The caller holds the folder's lock. @throws SyncError
   * SYNC_BACKEND_*
   */
  hold(lease: Lease, options: Omit<HoldOptions, 'schema'>): Promise<Holding>;
}

export interface RemoteOptions {
  /** The name that other processes show for this one. */
  readonly holder: string;
  readonly clock: LeaseClock;
  readonly schema: number;
  /** Kinds of orders that this process can carry out. */
  readonly orders?: readonly string[];
}

export function openRemoteStates(
  settings: PostgresSettings,
  { holder, clock, schema, orders = [] }: RemoteOptions,
): RemoteStates {
  const postgres = openPostgres(settings);
  const leases = createLeases(postgres, { daemon: holder, clock, schema, orders });
  return {
    postgres,
    leases,
    inbox: createInbox(postgres),
    rows: createTenantRows(postgres),
    schema,
    hold: (lease, options) => holdState(postgres, leases, lease, { ...options, schema }),
  };
}
