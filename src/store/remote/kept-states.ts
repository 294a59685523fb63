import { randomUUID } from 'node:crypto';
import type { Lease } from './leases.js';
import type { Postgres } from './postgres.js';
import { heldBy } from './state-line.js';

/*
 * The copy of a state from before its tables were brought up, in PostgreSQL: `state@` with the schema that it has. There is one of
 * each tenant, the newest.
 */

/** Keeps the state that a newer program is about to bring up, and lets older ones leave it alone from now on. */
export async function keepBefore(postgres: Postgres, lease: Lease, schema: number): Promise<void> {
  const { tenant, schema: before } = lease;
  if (before === schema) return;
  await postgres.together(async (ask) => {
    const [text, values] = heldBy(lease);
    if ((await ask(text, values)).length === 0) return;
    if (before > 0) {
      await ask(FORGET, [tenant]);
      await ask(KEEP_PAGES, [tenant, `state@${before}`]);
      await ask(KEEP_FILE, [tenant, `state@${before}`]);
    }
    await ask('UPDATE tenant SET schema = $2 WHERE name = $1', [tenant, schema]);
  });
}

/** All kept copies of a tenant are removed with these pages and this row. */
export const FORGET = `WITH pages AS (DELETE FROM file_page WHERE tenant = $1 AND name LIKE 'state@%')
DELETE FROM file WHERE tenant = $1 AND name LIKE 'state@%'`;

const KEEP_PAGES = `INSERT INTO file_page (tenant, name, page, commit_number, content)
SELECT tenant, $2, page, commit_number, content FROM file_page WHERE tenant = $1 AND name = 'state'`;
const KEEP_FILE = `INSERT INTO file (tenant, name, commit_id, commit_number, pages)
SELECT tenant, $2, commit_id, commit_number, pages FROM file WHERE tenant = $1 AND name = 'state'`;

export interface RolledBack {
  readonly tenant: string;
  /** ISO 8601: since then nothing of it counts. */
  readonly from: string;
  /** false: it is held, and was left alone. */
  readonly isDone: boolean;
}

/**
 * Puts the copies from before the newest migration in the place of all states that have one.
 *
 * @param schema only copies that a program with this schema reads
 */
export async function rollBack(postgres: Postgres, schema: number): Promise<readonly RolledBack[]> {
  const kept = await postgres.ask<KeptRow>(KEPT);
  const done: RolledBack[] = [];
  for (const { tenant, name, at } of kept) {
    const before = Number(name.slice('state@'.length));
    if (before > schema) continue;
    const isDone = await postgres.together(async (ask) => {
      const free = `SELECT FROM tenant WHERE name = $1 AND holder IS NULL AND schema > $2 FOR UPDATE`;
      if ((await ask(free, [tenant, before])).length === 0) return false;
      await ask("DELETE FROM file_page WHERE tenant = $1 AND name = 'state'", [tenant]);
      await ask("UPDATE file_page SET name = 'state' WHERE tenant = $1 AND name = $2", [tenant, name]);
      await ask(PUT_BACK, [tenant, name, randomUUID()]);
      await ask('DELETE FROM file WHERE tenant = $1 AND name = $2', [tenant, name]);
      // No copy of a daemon continues: each fetches all of it.
      await ask("DELETE FROM file_commit WHERE tenant = $1 AND name = 'state'", [tenant]);
      await ask('UPDATE tenant SET schema = $2, lost_from = $3 WHERE name = $1', [tenant, before, at]);
      return true;
    });
    done.push({ tenant, from: at.toISOString(), isDone });
  }
  return done;
}

const KEPT = `SELECT tenant, name, at FROM file WHERE name LIKE 'state@%' ORDER BY tenant`;
const PUT_BACK = `UPDATE file f SET commit_id = $3, commit_number = f.commit_number + 1, pages = k.pages, at = clock_timestamp()
FROM file k WHERE f.tenant = $1 AND f.name = 'state' AND k.tenant = $1 AND k.name = $2`;

interface KeptRow {
  readonly [column: string]: unknown;
  readonly tenant: string;
  readonly name: string;
  readonly at: Date;
}
