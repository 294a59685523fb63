import type { Postgres } from './postgres.js';

/** A watch ends after this time if the daemon does not renew it. */
const WATCH_MS = 30_000;

/**
 * Claims or renews the watch over tenants' sources, so that only one daemon watches each tenant. The last holder has
 * priority, because its mirror is up to date.
 *
 * @returns the tenants that this daemon now watches
 * @throws SyncError SYNC_BACKEND_*
 */
export async function claimWatches(
  { ask }: Pick<Postgres, 'ask'>,
  daemon: string,
  tenants: readonly string[],
): Promise<readonly string[]> {
  if (tenants.length === 0) return [];
  const rows = await ask<{ readonly name: string }>(CLAIM, [daemon, tenants, WATCH_MS]);
  return rows.map(({ name }) => name);
}

const CLAIM = `
WITH free AS (
  SELECT name FROM tenant
  WHERE name = ANY ($2::text[]) AND left_at IS NULL
    AND (watched_until IS NULL OR watched_until < clock_timestamp() OR watched_by = $1 OR last_holder = $1)
  ORDER BY name
  FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE tenant t SET watched_by = $1, watched_until = clock_timestamp() + $3 * interval '1 ms'
FROM free WHERE t.name = free.name
RETURNING t.name`;

/**
 * Counts a run as started by a signal, if the last such run of any daemon was long enough ago.
 *
 * @param apartMs minimum time between two such runs, in milliseconds
 * @returns the remaining milliseconds until then; 0 if the run counts
 * @throws SyncError SYNC_BACKEND_*
 */
export async function beginSignalled({ ask }: Pick<Postgres, 'ask'>, tenant: string, apartMs: number): Promise<number> {
  const [row] = await ask<{ readonly left_ms: number }>(BEGIN, [tenant, apartMs]);
  return Number(row?.left_ms ?? 0);
}

const BEGIN = `
WITH asked AS (
  SELECT name, greatest(0, ceil(1000 * extract(epoch FROM signalled_at + $2 * interval '1 ms' - clock_timestamp()))) AS left_ms
  FROM tenant WHERE name = $1
  FOR NO KEY UPDATE
), begun AS (
  UPDATE tenant SET signalled_at = clock_timestamp() FROM asked WHERE tenant.name = asked.name AND coalesce(asked.left_ms, 0) = 0
)
SELECT coalesce(left_ms, 0) AS left_ms FROM asked`;
