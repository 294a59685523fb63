import { join } from 'node:path';
import { expectMany } from '../../base/clock.js';
import type { SyncError } from '../../base/errors.js';
import type { Fence } from '../../base/fence.js';
import { countErasures } from './erasures.js';
import { noteLoss } from './failover.js';
import type { Statement } from './file-line.js';
import { FORGOTTEN } from './inbox.js';
import { FORGET, keepStateBefore } from './kept-states.js';
import { AS_BEFORE, type Lease, type Leases, type Released } from './leases.js';
import type { Postgres } from './postgres.js';
import { openStateLine, type StateLine } from './state-line.js';
import { checkCopyable, noteWritable } from './working-copy.js';

/** A tenant that this process holds. Its state is in the folder, and no other process works on it. */
export interface Holding {
  readonly lease: Lease;
  readonly fence: Fence;
  /** Aborted, with the reason, once another daemon may hold the tenant or PostgreSQL does not answer. */
  readonly signal: AbortSignal;
  /** The time after which commits may be missing, in ISO 8601. The next plan reports it. Null if none are missing. */
  readonly lostFrom: string | null;
  /** Stores all commits in PostgreSQL, together with these statements. */
  ship(also?: readonly Statement[]): Promise<void>;
  /** Fetches other holders' plans into the folder. */
  fetchPlans(): Promise<void>;
  /** Aborts `signal` if the lease has expired. */
  look(): void;
  /**
   * Releases the tenant and stores all commits.
   *
   * @throws SyncError if the lease was lost. The tenant is given up, and commits that were not stored are lost
   */
  release(found: Released): Promise<void>;
}

/** Statements that remove other data from PostgreSQL that might name an erased person. */
function forgetErased(tenant: string): readonly Statement[] {
  return [
    ['UPDATE tenant SET erased_at = clock_timestamp(), facts = NULL, doing = NULL WHERE name = $1', [tenant]],
    // The order that erased the person stays, because its sender waits for the answer.
    ['DELETE FROM inbox WHERE tenant = $1 AND ended_at IS NOT NULL AND key <> $2', [tenant, FORGOTTEN]],
    [FORGET, [tenant, '%@%']],
  ];
}

export interface HoldOptions {
  readonly folder: string;
  /** The newest schema of a state that this program knows. */
  readonly schema: number;
  /** The current time in ISO 8601. */
  readonly at: string;
  /** The caller's signal, which also ends the work. */
  readonly stop: AbortSignal;
}

/**
 * Fetches a claimed tenant's state into its folder. The caller holds the folder's lock.
 *
 * @throws SyncError SYNC_BACKEND_*; the claim is then given up
 */
export async function holdState(
  postgres: Postgres,
  leases: Leases,
  lease: Lease,
  { folder, schema, at, stop }: HoldOptions,
): Promise<Holding> {
  const file = join(folder, 'state.db');
  let [line, lostFrom, erasures]: [StateLine | null, string | null, number] = [null, null, 0];
  try {
    checkCopyable(folder);
    await keepStateBefore(postgres, lease, schema);
    line = await openStateLine(postgres, lease, folder);
    const head = line.head();
    if (head.at !== null) lostFrom = noteLoss(file, lease, head.at, at);
    erasures = countErasures(file);
  } catch (error) {
    line?.drop();
    // Nothing was sent under this lease, so other daemons need not wait until it ends.
    await leases.release(lease, { nextSlot: AS_BEFORE, isGood: null }).catch(() => leases.forget(lease.tenant));
    throw error;
  }
  const held = line;
  noteWritable(folder, true);
  const ending = new AbortController();
  const look = (): SyncError | null => {
    const error = lease.fault();
    if (error !== null) ending.abort(error);
    return error;
  };
  const follow = (): void => ending.abort(stop.reason);
  stop.addEventListener('abort', follow, { once: true });
  // The signal may have been aborted while the state was fetched.
  if (stop.aborted) follow();
  expectMany(ending.signal);
  const ship = (also?: readonly Statement[]): Promise<void> =>
    held.ship(also).catch((error: unknown) => {
      ending.abort(error);
      throw error;
    });
  return {
    lease,
    fence: {
      ship: () => ship(),
      check() {
        const error = look();
        if (error !== null) throw error;
      },
    },
    signal: ending.signal,
    lostFrom,
    ship,
    fetchPlans: () => held.fetchPlans(),
    look: () => void look(),
    async release(found) {
      stop.removeEventListener('abort', follow);
      noteWritable(folder, false);
      try {
        const isErased = erasures !== countErasures(file);
        await held.leave(isErased ? forgetErased(lease.tenant) : []);
        await leases.release(lease, found);
      } catch (error) {
        held.drop();
        leases.forget(lease.tenant);
        throw error;
      }
    },
  };
}
