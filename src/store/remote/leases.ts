import { randomUUID } from 'node:crypto';
import { SyncError } from '../../base/errors.js';
import type { Postgres } from './postgres.js';

/** So long a daemon holds a tenant without being heard of. */
export const LEASE_MS = 15_000;
/** The last holder has an up-to-date mirror, so others wait this long. */
const HEAD_START_MS = 2_000;
/** A configuration that was replaced takes no tenant for so long: a rollout has ended by then. */
const ROLLOUT_MS = 10 * 60_000;

/** Both clocks of this machine: one stands still while it sleeps, the other can be set. Either one ends a lease. */
export interface LeaseClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from any moment, never set back. */
  monotonic(): number;
}

/** A tenant that may be worked for: what a daemon would bring. */
export interface Claimable {
  readonly tenant: string;
  /** Digest of its configuration here. */
  readonly config: string;
  /** The longest that a writing call of it may take, in milliseconds. */
  readonly callLimitMs: number;
  /** Somebody waits for it here, due or not. */
  readonly isAsked: boolean;
}

/** Where the line of a state's commits ends. */
export interface StateHead {
  /** Random; null before the first commit. */
  readonly id: string | null;
  /** 1 for the first commit; 0 before it. */
  readonly number: number;
  /** Pages of state.db. */
  readonly pages: number;
}

/** A claim of one tenant. */
export interface Lease {
  readonly tenant: string;
  readonly fence: number;
  /** Random: after a failover the same fence may be granted again. */
  readonly claim: string;
  /** The newest commit of its state. */
  readonly state: StateHead;
  /** SYNC_LEASE_LOST as soon as somebody else may work for the tenant; null until then. */
  fault(): SyncError | null;
}

interface LeaseEnd {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

interface Held extends Lease {
  deadline: LeaseEnd;
}

export type Leases = ReturnType<typeof createLeases>;

/**
 * Who works for which tenant: one row per tenant, by the server's clock alone.
 *
 *     free ──claim──► held ──release──► free
 *                      │ not renewed for 15 s, and its longest call is over
 *                      └──────claim by another, with the next fence──────►
 */
export function createLeases(postgres: Postgres, daemon: string, clock: LeaseClock) {
  const held = new Map<string, Held>();

  /** Counted from before the question: the server's moment cannot be earlier. */
  const deadlineFrom = (asked: LeaseEnd): LeaseEnd => ({
    wallMs: asked.wallMs + LEASE_MS,
    monotonicMs: asked.monotonicMs + LEASE_MS,
  });
  const now = (): LeaseEnd => ({ wallMs: clock.now(), monotonicMs: clock.monotonic() });
  const isOver = ({ deadline }: Held): boolean =>
    clock.now() >= deadline.wallMs || clock.monotonic() >= deadline.monotonicMs;

  function hold(row: ClaimedRow, claim: string, asked: LeaseEnd): Lease {
    const lease: Held = {
      tenant: row.name,
      fence: Number(row.fence),
      claim,
      state: { id: row.commit_id, number: Number(row.commit_number), pages: row.pages },
      deadline: deadlineFrom(asked),
      fault: () => (held.get(row.name) !== lease || isOver(lease) ? lostLease(row.name, null) : null),
    };
    held.set(row.name, lease);
    return lease;
  }

  return {
    /** Makes rows for tenants that are new. */
    async register(tenants: readonly string[]): Promise<void> {
      await postgres.ask('INSERT INTO tenant (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [tenants]);
    },
    /**
     * Claims tenants whose slot has come, whose configuration here is a new one, or for which somebody has asked.
     *
     * @param most number of claims at most
     */
    async claimDue(candidates: readonly Claimable[], most: number): Promise<readonly Lease[]> {
      const free = candidates.filter(({ tenant }) => !held.has(tenant));
      if (free.length === 0 || most <= 0) return [];
      const asked = now();
      const claim = randomUUID();
      const rows = await postgres.ask<ClaimedRow>(CLAIM_DUE, [
        ...[daemon, claim, LEASE_MS, HEAD_START_MS, ROLLOUT_MS, most],
        free.map(({ tenant }) => tenant),
        free.map(({ config }) => config),
        free.map(({ callLimitMs }) => callLimitMs),
        free.map(({ isAsked }) => isAsked),
      ]);
      return rows.map((row) => hold(row, claim, asked));
    },
    /**
     * Claims one tenant to move its state, due or not, paused or not, and also where it was moved away.
     *
     * @throws SyncError SYNC_STATE_LOCKED while somebody holds it
     */
    async claimToMove(tenant: string): Promise<Lease> {
      const asked = now();
      const claim = randomUUID();
      const [row] = await postgres.ask<ClaimedRow>(CLAIM_ONE, [daemon, claim, LEASE_MS, tenant]);
      if (row !== undefined) return hold(row, claim, asked);
      throw new SyncError('SYNC_STATE_LOCKED', {
        message: `${tenant} is held by ${(await findHolder(postgres, tenant)) ?? 'a daemon that was not heard of just now'}.`,
        place: tenant,
        remedy: 'Wait until its run has ended, and try again.',
      });
    },
    /** Holds on to all that is held. Leases that are no longer ours are dropped. */
    async renew(): Promise<void> {
      const all = [...held.values()];
      if (all.length === 0) return;
      const asked = now();
      const rows = await postgres.ask<{ name: string }>(RENEW, [
        LEASE_MS,
        all.map(({ tenant }) => tenant),
        all.map(({ fence }) => fence),
        all.map(({ claim }) => claim),
      ]);
      const ours = new Set(rows.map(({ name }) => name));
      for (const lease of all) {
        if (ours.has(lease.tenant)) lease.deadline = deadlineFrom(asked);
        else held.delete(lease.tenant);
      }
    },
    /**
     * Gives a tenant back, with what its run has found out.
     *
     * @returns false if it was no longer ours
     */
    async release({ tenant, fence, claim }: Lease, found: Released): Promise<boolean> {
      held.delete(tenant);
      const rows = await postgres.ask(RELEASE, [tenant, fence, claim, found.nextSlot, found.isGood, daemon]);
      return rows.length > 0;
    },
    /** Its holder has given it up without a word. */
    forget: (tenant: string) => void held.delete(tenant),
  };
}

export interface Released {
  /** ISO 8601; null: no schedule runs it. */
  readonly nextSlot: string | null;
  /** Its run has gone through; null if there was none. */
  readonly isGood: boolean | null;
}

interface ClaimedRow {
  readonly [column: string]: unknown;
  readonly name: string;
  readonly fence: string;
  readonly commit_id: string | null;
  readonly commit_number: string;
  readonly pages: number;
}

const CLAIM_DUE = `
WITH candidate AS (
  SELECT * FROM unnest($7::text[], $8::text[], $9::integer[], $10::boolean[])
    AS c (name, config, call_limit_ms, is_asked)
), due AS (
  SELECT t.name, c.config, c.call_limit_ms
  FROM tenant t JOIN candidate c ON c.name = t.name
  WHERE (t.lease_until IS NULL OR t.lease_until + t.call_limit_ms * interval '1 ms' < clock_timestamp())
    AND (
      t.next_slot <= clock_timestamp()
        - CASE WHEN t.last_holder IS NULL OR t.last_holder = $1 THEN 0 ELSE $4 END * interval '1 ms'
      OR t.config IS DISTINCT FROM c.config
      OR c.is_asked
    )
    AND t.left_at IS NULL
    AND (t.paused_until IS NULL OR t.paused_until < clock_timestamp())
    AND NOT coalesce(
      t.config_before = c.config AND t.config IS DISTINCT FROM c.config
        AND t.config_since > clock_timestamp() - $5 * interval '1 ms', false)
  ORDER BY t.next_slot NULLS LAST, t.name
  LIMIT $6
  FOR UPDATE OF t SKIP LOCKED
)
UPDATE tenant t SET
  fence = t.fence + 1, claim = $2, holder = $1, last_holder = $1, held_since = clock_timestamp(),
  lease_until = clock_timestamp() + $3 * interval '1 ms', call_limit_ms = due.call_limit_ms,
  config_before = CASE WHEN t.config IS DISTINCT FROM due.config THEN t.config ELSE t.config_before END,
  config_since = CASE WHEN t.config IS DISTINCT FROM due.config THEN clock_timestamp() ELSE t.config_since END,
  config = due.config
FROM due WHERE t.name = due.name
RETURNING t.name, t.fence, t.commit_id, t.commit_number, t.pages`;

const CLAIM_ONE = `
INSERT INTO tenant AS t (name, fence, claim, holder, last_holder, held_since, lease_until, next_slot)
VALUES ($4, 1, $2, $1, $1, clock_timestamp(), clock_timestamp() + $3 * interval '1 ms', NULL)
ON CONFLICT (name) DO UPDATE SET
  fence = t.fence + 1, claim = $2, holder = $1, last_holder = $1, held_since = clock_timestamp(),
  lease_until = clock_timestamp() + $3 * interval '1 ms'
WHERE t.lease_until IS NULL OR t.lease_until + t.call_limit_ms * interval '1 ms' < clock_timestamp()
RETURNING t.name, t.fence, t.commit_id, t.commit_number, t.pages`;

const RENEW = `
UPDATE tenant t SET lease_until = clock_timestamp() + $1 * interval '1 ms'
FROM unnest($2::text[], $3::bigint[], $4::uuid[]) AS h (name, fence, claim)
WHERE t.name = h.name AND t.fence = h.fence AND t.claim = h.claim
RETURNING t.name`;

const RELEASE = `
UPDATE tenant SET
  claim = NULL, holder = NULL, lease_until = NULL, next_slot = $4::timestamptz, last_holder = $6,
  last_good = CASE WHEN $5 THEN clock_timestamp() ELSE last_good END
WHERE name = $1 AND fence = $2 AND claim = $3
RETURNING name`;

export function lostLease(tenant: string, holder: string | null): SyncError {
  return new SyncError('SYNC_LEASE_LOST', {
    message:
      holder === null
        ? `${tenant} is no longer held here: another daemon may work for it.`
        : `${tenant} is held by ${holder} now.`,
    place: tenant,
    remedy: 'Nothing has to be done: the daemon that holds it finishes the run.',
  });
}

/** Who holds a tenant now; null for nobody. */
export async function findHolder(postgres: Postgres, tenant: string): Promise<string | null> {
  const [row] = await postgres.ask<{ holder: string | null }>('SELECT holder FROM tenant WHERE name = $1', [tenant]);
  return row?.holder ?? null;
}
