import type { Postgres } from './postgres.js';

/**
 * The tables of all tenants, by version. A version only adds tables and columns, because daemons of the previous
 * version still run during an update. Unused columns are removed one version later.
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
      -- The configuration in force, and since when.
      config text,
      config_since timestamptz,
      -- The newest migration of its state: a daemon that does not know it leaves the tenant alone.
      schema bigint NOT NULL DEFAULT 0,
      -- An older state was put back: what was committed after this moment is lost, and its next holder takes note of it.
      lost_from timestamptz,
      -- A person was erased: copies of before are removed everywhere.
      erased_at timestamptz,
      -- For lists and metrics: as its holder saw it last, and how far its work is.
      facts bytea,
      facts_number bigint NOT NULL DEFAULT 0,
      doing bytea
    )`,
    // SQLite files with lines of commits. The tenant is '' for a shared file. `state@1700000000000` is the state with
    // that schema, from before a migration. A daemon that does not know a file's schema ignores the file.
    `CREATE TABLE file (
      tenant text NOT NULL,
      name text NOT NULL,
      commit_id uuid,
      commit_number bigint NOT NULL DEFAULT 0,
      pages integer NOT NULL DEFAULT 0,
      schema bigint NOT NULL DEFAULT 0,
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (tenant, name)
    )`,
    `CREATE TABLE file_commit (
      tenant text NOT NULL,
      name text NOT NULL,
      number bigint NOT NULL,
      id uuid NOT NULL,
      PRIMARY KEY (tenant, name, number)
    )`,
    `CREATE TABLE file_page (
      tenant text NOT NULL,
      name text NOT NULL,
      page integer NOT NULL,
      commit_number bigint NOT NULL,
      content bytea NOT NULL,
      PRIMARY KEY (tenant, name, page)
    )`,
    // SQLite pages are compressed only once, and a changed page is always written as a new row.
    'ALTER TABLE file_page ALTER COLUMN content SET COMPRESSION lz4',
    'CREATE INDEX file_page_commit ON file_page (tenant, name, commit_number)',
    // Files that never change, such as plans. Pages on any daemon can show them.
    `CREATE TABLE document (
      tenant text NOT NULL,
      name text NOT NULL,
      content bytea NOT NULL,
      PRIMARY KEY (tenant, name)
    )`,
    // Orders for the daemon that holds the tenant, or that claims it next.
    `CREATE TABLE inbox (
      id text PRIMARY KEY,
      seq bigint GENERATED ALWAYS AS IDENTITY,
      tenant text NOT NULL,
      -- Equal for equal orders of one person: the second one joins the first.
      key text NOT NULL,
      kind text NOT NULL,
      content bytea NOT NULL,
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      begun_at timestamptz,
      ended_at timestamptz,
      answer bytea
    )`,
    'CREATE UNIQUE INDEX inbox_open ON inbox (tenant, key) WHERE ended_at IS NULL',
    'CREATE INDEX inbox_seq ON inbox (tenant, seq)',
  ],
  [
    // The daemon that watches the tenant's sources for changes. These are columns instead of a table, because
    // permissions are granted per table.
    'ALTER TABLE tenant ADD COLUMN watched_by text, ADD COLUMN watched_until timestamptz',
    // When any daemon last started a run because of a signal.
    'ALTER TABLE tenant ADD COLUMN signalled_at timestamptz',
    // Recently replaced configurations, each with the time of its replacement.
    "ALTER TABLE tenant ADD COLUMN configs_before jsonb NOT NULL DEFAULT '{}'",
  ],
];

/**
 * Creates or updates the tables. This needs a user that may create tables; the daemons do not.
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
