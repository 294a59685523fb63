import type { Postgres } from './postgres.js';

/**
 * The tables of all tenants, version by version. A version only adds: daemons of the version before still run next to it, and
 * columns that they no longer use are removed one version later.
 */
const VERSIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE tenant (
      name text PRIMARY KEY,
      -- The lease: who works for the tenant.
      fence bigint NOT NULL DEFAULT 0,
      claim uuid,
      holder text,
      held_since timestamptz,
      lease_until timestamptz,
      -- So long calls of a holder that is gone may still be under way.
      call_limit_ms integer NOT NULL DEFAULT 0,
      last_holder text,
      -- The schedule. Its first slot is now: whoever claims it finds out when its first run is.
      next_slot timestamptz DEFAULT now(),
      paused_until timestamptz,
      last_good timestamptz,
      -- Its state was brought back to a folder: nobody begins it anew.
      left_at timestamptz,
      -- The configuration in force, and the one that it replaced.
      config text,
      config_before text,
      config_since timestamptz,
      -- The state: its newest commit.
      commit_id uuid,
      commit_number bigint NOT NULL DEFAULT 0,
      pages integer NOT NULL DEFAULT 0
    )`,
    `CREATE TABLE state_commit (
      tenant text NOT NULL REFERENCES tenant ON DELETE CASCADE,
      number bigint NOT NULL,
      id uuid NOT NULL,
      fence bigint NOT NULL,
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (tenant, number)
    )`,
    `CREATE TABLE state_page (
      tenant text NOT NULL REFERENCES tenant ON DELETE CASCADE,
      page integer NOT NULL,
      commit_number bigint NOT NULL,
      content bytea NOT NULL,
      PRIMARY KEY (tenant, page)
    )`,
    // The pages of SQLite are not compressed twice, and a changed one is written as a new row in any case.
    'ALTER TABLE state_page ALTER COLUMN content SET COMPRESSION lz4',
    'CREATE INDEX state_page_commit ON state_page (tenant, commit_number)',
  ],
];

/**
 * Creates what is missing, or brings it up. By a user that may create tables; the daemons need no such right.
 *
 * @returns the versions before and after
 */
export async function preparePostgres(postgres: Postgres): Promise<{ readonly from: number; readonly to: number }> {
  return postgres.together(async (ask) => {
    await ask("SELECT pg_advisory_xact_lock(hashtext('talent-sync'))");
    await ask('CREATE TABLE IF NOT EXISTS talent_sync_version (version integer NOT NULL)');
    const [row] = await ask<{ version: number }>('SELECT version FROM talent_sync_version');
    const from = row?.version ?? 0;
    for (const statement of VERSIONS.slice(from).flat()) await ask(statement);
    if (row === undefined) await ask('INSERT INTO talent_sync_version VALUES ($1)', [VERSIONS.length]);
    else if (from < VERSIONS.length) await ask('UPDATE talent_sync_version SET version = $1', [VERSIONS.length]);
    return { from, to: Math.max(from, VERSIONS.length) };
  });
}
