import { randomUUID } from 'node:crypto';
import { SyncError } from '../../base/errors.js';
import { DURABILITY, type Durability, type DurabilityRow, toDurability } from './failover.js';
import { newerFile } from './file-line.js';
import type { Postgres } from './postgres.js';

/** How long a daemon may hold a tenant without renewing the lease. */
export const LEASE_MS = 15_000;
/** How long other daemons wait for the last holder, because its mirror is up to date. */
const HEAD_START_MS = 2_000;
/** How long a daemon with a replaced configuration may not claim a tenant. A rollout ends within this time. */
const ROLLOUT_MS = 10 * 60_000;

/**
 * Both clocks of this machine. One stops during sleep, the other can be set. A lease ends when either passes its
 * deadline.
 */
export interface LeaseClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since an arbitrary moment; never goes back. */
  monotonic(): number;
}

/** A tenant that this daemon may claim, with the daemon's settings for it. */
export interface Claimable {
  readonly tenant: string;
  /** Digest of the tenant's configuration on this daemon. */
  readonly config: string;
  /** Maximum duration of one write call for the tenant, in milliseconds. */
  readonly callLimitMs: number;
}

/** A claim of one tenant. */
export interface Lease {
  readonly tenant: string;
  readonly fence: number;
  /** Random, because after a failover the same fence may be granted again. */
  readonly claim: string;
  /** The schema of the tenant's state; 0 before its first commit. */
  readonly schema: number;
  readonly durability: Durability;
  /** ISO 8601. Set if an older state was restored, so commits after this time are lost; null if none are lost. */
  readonly lostFrom: string | null;
  /** True if a run is due, or if the configuration or schema is older than this daemon's. */
  readonly isDue: boolean;
  /** True if the tenant's inbox contains orders. */
  readonly hasOrders: boolean;
  /** SYNC_LEASE_LOST once another daemon may work on the tenant; null until then. */
  fault(): SyncError | null;
}

interface LeaseEnd {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

interface Held extends Lease {
  deadline: LeaseEnd;
}

export interface LeaseOptions {
  /** The name that other daemons show for this one. */
  readonly daemon: string;
  readonly clock: LeaseClock;
  /** The newest schema of a state that this program knows. */
  readonly schema: number;
  /** Kinds of orders that this program can carry out. No tenant is claimed for other orders. */
  readonly orders: readonly string[];
}

export type Leases = ReturnType<typeof createLeases>;

/**
 * Decides which daemon works on which tenant. There is one row per tenant, and only the server's clock counts.
 *
 *     free ──claim──► held ──release──► free
 *                      │ not renewed for 15 s, and its longest call is over
 *                      └──────claim by another, with the next fence──────►
 */
export function createLeases(postgres: Postgres, { daemon, clock, schema, orders }: LeaseOptions) {
  const held = new Map<string, Held>();

  /** Counted from before the request, because the server's deadline cannot be earlier than that. */
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
      schema: Number(row.schema),
      durability: toDurability(row),
      lostFrom: row.lost_from?.toISOString() ?? null,
      isDue: row.is_due,
      hasOrders: row.has_orders,
      deadline: deadlineFrom(asked),
      fault: () => (held.get(row.name) !== lease || isOver(lease) ? lostLease(row.name, null) : null),
    };
    held.set(row.name, lease);
    return lease;
  }

  return {
    /** Adds rows for new tenants. */
    async register(tenants: readonly string[]): Promise<void> {
      await postgres.ask('INSERT INTO tenant (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [tenants]);
    },
    /**
     * Claims tenants that have a run due, an older configuration or schema, or waiting orders.
     *
     * @param most maximum number of claims
     */
    async claimDue(candidates: readonly Claimable[], most: number): Promise<readonly Lease[]> {
      const free = candidates.filter(({ tenant }) => !held.has(tenant));
      if (free.length === 0 || most <= 0) return [];
      const asked = now();
      const claim = randomUUID();
      const rows = await postgres.ask<ClaimedRow>(CLAIM_DUE, [
        ...[daemon, claim, LEASE_MS, HEAD_START_MS, ROLLOUT_MS, most, schema],
        free.map(({ tenant }) => tenant),
        free.map(({ config }) => config),
        free.map(({ callLimitMs }) => callLimitMs),
        orders,
      ]);
      return rows.map((row) => hold(row, claim, asked));
    },
    /**
     * Claims one tenant for a command, even if no run is due or the tenant is paused. `move` also claims a tenant that
     * was moved away.
     *
     * @throws SyncError SYNC_STATE_LOCKED if another daemon holds it, SYNC_STATE_NEWER, SYNC_STATE_ELSEWHERE
     */
    async claimOne(tenant: string, callLimitMs: number, to: 'work' | 'move' = 'work'): Promise<Lease> {
      const asked = now();
      const claim = randomUUID();
      const values = [daemon, claim, LEASE_MS, tenant, callLimitMs, schema, to === 'move'];
      const [row] = await postgres.ask<ClaimedRow>(CLAIM_ONE, values);
      if (row !== undefined) return hold(row, claim, asked);
      const found = await findTenant(postgres, tenant);
      if (Number(found?.schema ?? 0) > schema) throw newerFile({ tenant, name: 'state' });
      if (found?.has_left === true && to === 'work') throw leftState(tenant);
      throw new SyncError('SYNC_STATE_LOCKED', {
        message: `${tenant} is held by ${found?.holder ?? 'a daemon that did not respond recently'}.`,
        place: tenant,
        remedy: 'Wait until its run has ended (`--wait` does this), and try again.',
      });
    },
    /**
     * Renews all leases, and drops those that this daemon has lost.
     *
     * @param doing returns the progress of the work on a tenant, for other daemons
     */
    async renew(doing: (tenant: string) => object | null = () => null): Promise<void> {
      const all = [...held.values()];
      if (all.length === 0) return;
      const asked = now();
      const rows = await postgres.ask<{ name: string }>(RENEW, [
        LEASE_MS,
        all.map(({ tenant }) => tenant),
        all.map(({ fence }) => fence),
        all.map(({ claim }) => claim),
        all.map(({ tenant }) => {
          const text = JSON.stringify(doing(tenant));
          return postgres.seal.close(Buffer.from(text), [tenant, 'doing']);
        }),
      ]);
      const ours = new Set(rows.map(({ name }) => name));
      for (const lease of all) {
        if (ours.has(lease.tenant)) lease.deadline = deadlineFrom(asked);
        else held.delete(lease.tenant);
      }
    },
    /**
     * Releases a tenant with the results of its run.
     *
     * @returns false if this daemon had already lost it
     */
    async release(
      { tenant, fence, claim }: Lease,
      { nextSlot, isGood, facts = null, pausedUntil }: Released,
    ): Promise<boolean> {
      held.delete(tenant);
      const sealed = facts === null ? null : postgres.seal.close(Buffer.from(JSON.stringify(facts)), [tenant, 'facts']);
      const slot = nextSlot === AS_BEFORE ? [null, true] : [nextSlot, false];
      const pause = [pausedUntil ?? null, pausedUntil === undefined];
      const values = [tenant, fence, claim, slot[0], isGood, daemon, sealed, slot[1], ...pause];
      const rows = await postgres.ask(RELEASE, values);
      return rows.length > 0;
    },
    /** Drops a lease that its holder gave up without releasing it. */
    forget: (tenant: string) => void held.delete(tenant),
  };
}

/** Keeps the stored next slot if it was not computed. */
export const AS_BEFORE = Symbol('as before');

export interface Released {
  /** ISO 8601; null if no schedule runs the tenant. */
  readonly nextSlot: string | null | typeof AS_BEFORE;
  /** True if the run succeeded; null if there was no run. */
  readonly isGood: boolean | null;
  /** Facts for all daemons' lists and metrics; unchanged if omitted. */
  readonly facts?: object | null;
  /** ISO 8601; no run is due until then. Null if the tenant is not paused; unchanged if omitted. */
  readonly pausedUntil?: string | null | undefined;
}

interface ClaimedRow extends DurabilityRow {
  readonly name: string;
  readonly fence: string;
  readonly schema: string;
  readonly lost_from: Date | null;
  readonly is_due: boolean;
  readonly has_orders: boolean;
}

/** True if nobody works on the tenant, and no call of a previous holder can still be in progress. */
export const FREE = `(t.lease_until IS NULL OR t.lease_until + t.call_limit_ms * interval '1 ms' < clock_timestamp())`;

const CLAIMED = `t.name, t.fence, t.schema, t.lost_from, ${DURABILITY},
  EXISTS (SELECT FROM inbox i WHERE i.tenant = t.name AND i.ended_at IS NULL) AS has_orders`;

const CLAIM_DUE = `
WITH candidate AS (
  SELECT * FROM unnest($8::text[], $9::text[], $10::integer[]) AS c (name, config, call_limit_ms)
), due AS (
  SELECT t.name, c.config, c.call_limit_ms, now.is_due
  FROM tenant t JOIN candidate c ON c.name = t.name
  -- The last holder comes first.
  CROSS JOIN LATERAL (SELECT clock_timestamp()
    - CASE WHEN t.last_holder IS NULL OR t.last_holder = $1 THEN 0 ELSE $4 END * interval '1 ms' AS at) AS turn
  CROSS JOIN LATERAL (SELECT coalesce(
    (t.paused_until IS NULL OR t.paused_until < clock_timestamp())
      AND (t.next_slot <= turn.at OR t.config IS DISTINCT FROM c.config OR t.schema < $7), false) AS is_due) AS now
  WHERE ${FREE}
    AND (now.is_due OR EXISTS (
      SELECT FROM inbox i WHERE i.tenant = t.name AND i.ended_at IS NULL AND i.at <= turn.at AND i.kind = ANY ($11::text[])))
    AND t.left_at IS NULL
    AND t.schema <= $7
    AND NOT coalesce(
      (t.configs_before ->> c.config)::timestamptz > clock_timestamp() - $5 * interval '1 ms'
        AND t.config IS DISTINCT FROM c.config, false)
  ORDER BY t.next_slot NULLS LAST, t.name
  LIMIT $6
  FOR NO KEY UPDATE OF t SKIP LOCKED
)
UPDATE tenant t SET
  fence = t.fence + 1, claim = $2, holder = $1, last_holder = $1, held_since = clock_timestamp(), doing = NULL,
  lease_until = clock_timestamp() + $3 * interval '1 ms', call_limit_ms = due.call_limit_ms,
  configs_before = CASE WHEN t.config IS DISTINCT FROM due.config AND t.config IS NOT NULL THEN (
    SELECT coalesce(jsonb_object_agg(b.config, b.since), '{}') FROM jsonb_each_text(t.configs_before) AS b (config, since)
    WHERE b.since::timestamptz > clock_timestamp() - $5 * interval '1 ms'
  ) || jsonb_build_object(t.config, clock_timestamp()) ELSE t.configs_before END,
  config_since = CASE WHEN t.config IS DISTINCT FROM due.config THEN clock_timestamp() ELSE t.config_since END,
  config = due.config
FROM due WHERE t.name = due.name
RETURNING ${CLAIMED}, due.is_due`;

const CLAIM_ONE = `
INSERT INTO tenant AS t (name, fence, claim, holder, last_holder, held_since, lease_until, call_limit_ms, next_slot)
VALUES ($4, 1, $2, $1, $1, clock_timestamp(), clock_timestamp() + $3 * interval '1 ms', $5, NULL)
ON CONFLICT (name) DO UPDATE SET
  fence = t.fence + 1, claim = $2, holder = $1, last_holder = $1, held_since = clock_timestamp(), doing = NULL,
  lease_until = clock_timestamp() + $3 * interval '1 ms', call_limit_ms = $5
WHERE ${FREE} AND t.schema <= $6
  AND ($7 OR t.left_at IS NULL)
RETURNING ${CLAIMED}, false AS is_due`;

const RENEW = `
UPDATE tenant t SET lease_until = clock_timestamp() + $1 * interval '1 ms', doing = h.doing
FROM unnest($2::text[], $3::bigint[], $4::uuid[], $5::bytea[]) AS h (name, fence, claim, doing)
WHERE t.name = h.name AND t.fence = h.fence AND t.claim = h.claim
RETURNING t.name`;

const RELEASE = `
UPDATE tenant SET
  claim = NULL, holder = NULL, lease_until = NULL, doing = NULL, lost_from = NULL, last_holder = $6,
  next_slot = CASE WHEN $8 THEN next_slot ELSE $4::timestamptz END,
  paused_until = CASE WHEN $10 THEN paused_until ELSE $9::timestamptz END,
  last_good = CASE WHEN $5 THEN clock_timestamp() ELSE last_good END,
  facts = coalesce($7, facts), facts_number = facts_number + CASE WHEN $7::bytea IS NULL THEN 0 ELSE 1 END
WHERE name = $1 AND fence = $2 AND claim = $3
RETURNING name`;

function lostLease(tenant: string, holder: string | null): SyncError {
  return new SyncError('SYNC_LEASE_LOST', {
    message:
      holder === null
        ? `${tenant} is no longer held here: another daemon may be working on it.`
        : `${tenant} was taken over by ${holder}.`,
    place: tenant,
    remedy: 'No action needed: the daemon that holds it finishes the run.',
  });
}

interface FoundTenant {
  readonly [column: string]: unknown;
  readonly holder: string | null;
  readonly schema: string;
  readonly has_left: boolean;
}

async function findTenant({ ask }: Pick<Postgres, 'ask'>, tenant: string): Promise<FoundTenant | null> {
  return (
    (
      await ask<FoundTenant>('SELECT holder, schema, left_at IS NOT NULL AS has_left FROM tenant WHERE name = $1', [
        tenant,
      ])
    )[0] ?? null
  );
}

/** Creates the error for a lost lease. It names the daemon that took over, if PostgreSQL knows and answers. */
export async function explainLoss({ ask }: Pick<Postgres, 'ask'>, { tenant, fence, claim }: Lease): Promise<SyncError> {
  const rows = await ask<{ last_holder: string }>(TAKEN_OVER, [tenant, fence, claim]).catch(() => []);
  return lostLease(tenant, rows[0]?.last_holder ?? null);
}

/** After a failover, the same number may have been granted again. */
const TAKEN_OVER = 'SELECT last_holder FROM tenant WHERE name = $1 AND (fence > $2 OR fence = $2 AND claim <> $3)';

/**
 * Prevents this tenant's state from being moved away until the transaction ends.
 *
 * @throws SyncError SYNC_STATE_ELSEWHERE if it has already been moved away
 */
export async function keepHere(ask: Postgres['ask'], tenant: string): Promise<void> {
  const [row] = await ask('SELECT left_at FROM tenant WHERE name = $1 FOR KEY SHARE', [tenant]);
  if ((row?.left_at ?? null) !== null) throw leftState(tenant);
}

function leftState(tenant: string): SyncError {
  return new SyncError('SYNC_STATE_ELSEWHERE', {
    message: `The state of ${tenant} was moved from PostgreSQL back into a folder.`,
    place: tenant,
    remedy:
      'Move its configuration out of the folder of daemon.yaml, or move the state to PostgreSQL again (`talent-sync state push`).',
  });
}
