import type { Json } from '../../model/json.js';
import type { Postgres } from './postgres.js';

/** The row of a tenant in PostgreSQL. Times are milliseconds since the epoch, by the server's clock. */
export interface RemoteTenantRow {
  readonly tenant: string;
  /** Null if nobody is working on the tenant. */
  readonly holder: string | null;
  readonly nextMs: number | null;
  readonly pausedUntilMs: number | null;
  readonly lastGoodMs: number | null;
  /** True if the tenant's state was moved to a folder. */
  readonly hasLeft: boolean;
  readonly schema: number;
  /** Time between the last erasure of a person and this read. */
  readonly erasedAgoMs: number | null;
  /** Facts from the last holder; undefined if there are no new ones. */
  readonly facts: Json | undefined;
  /** The holder's progress. */
  readonly doing: Json;
}

export interface TenantRows {
  look(): Promise<readonly RemoteTenantRow[]>;
}

/** If the last read of a row is older than this, PostgreSQL does not answer, so the holder is unknown. */
const OLD_MS = 30_000;

/** Delay in milliseconds of a run that is due but has not begun; 0 if there is none. */
export function findLag(
  { holder, nextMs, pausedUntilMs, hasLeft }: RemoteTenantRow,
  { seenMs, nowMs }: { readonly seenMs: number; readonly nowMs: number },
): number {
  const isHeld = holder !== null && nowMs - seenMs < OLD_MS;
  if (isHeld || hasLeft || nextMs === null || (pausedUntilMs ?? 0) > nowMs) return 0;
  return Math.max(0, nowMs - nextMs);
}

/** Reads the rows of all tenants, and reads facts only if they are new. */
export function createTenantRows({ ask, seal }: Pick<Postgres, 'ask' | 'seal'>): TenantRows {
  const known = new Map<string, string>();
  const open = (content: Buffer, tenant: string, what: string): Json =>
    JSON.parse(seal.open(content, [tenant, what]).toString('utf8')) as Json;
  return {
    async look() {
      const rows = await ask<StoredTenant>(LOOK, [[...known.keys()], [...known.values()]]);
      return rows.map((row) => {
        const { name: tenant, facts, doing, facts_number: number } = row;
        if (facts !== null) known.set(tenant, number);
        return {
          tenant,
          holder: row.holder,
          nextMs: row.next_slot?.getTime() ?? null,
          pausedUntilMs: row.paused_until?.getTime() ?? null,
          lastGoodMs: row.last_good?.getTime() ?? null,
          hasLeft: row.has_left,
          schema: Number(row.schema),
          erasedAgoMs: row.erased_ago,
          facts: facts === null ? undefined : open(facts, tenant, 'facts'),
          doing: doing === null ? null : open(doing, tenant, 'doing'),
        };
      });
    },
  };
}

const LOOK = `
SELECT t.name, t.schema, t.next_slot, t.paused_until, t.last_good, t.facts_number,
  extract(epoch FROM clock_timestamp() - t.erased_at)::float8 * 1000 AS erased_ago,
  t.left_at IS NOT NULL AS has_left,
  CASE WHEN t.lease_until > clock_timestamp() THEN t.holder END AS holder,
  CASE WHEN t.lease_until > clock_timestamp() THEN t.doing END AS doing,
  CASE WHEN t.facts_number::text IS DISTINCT FROM k.number THEN t.facts END AS facts
FROM tenant t LEFT JOIN unnest($1::text[], $2::text[]) AS k (name, number) ON k.name = t.name
ORDER BY t.name`;

interface StoredTenant {
  readonly [column: string]: unknown;
  readonly name: string;
  readonly holder: string | null;
  readonly schema: string;
  readonly next_slot: Date | null;
  readonly paused_until: Date | null;
  readonly last_good: Date | null;
  readonly erased_ago: number | null;
  readonly has_left: boolean;
  readonly facts_number: string;
  readonly facts: Buffer | null;
  readonly doing: Buffer | null;
}
