import { randomUUID } from 'node:crypto';
import { type AskPostgres, findHead, type Head, type LineId, type LineName, newestSchema } from './file-line.js';
import { FREE, type Lease } from './leases.js';
import type { Postgres } from './postgres.js';
import { heldBy, stateLineOf } from './state-line.js';

/*
 * The copy of a file in PostgreSQL from before a migration. Its name is `state@` and the schema. Only the newest copy
 * of each file is kept.
 */

/** Keeps a copy of the state before a newer program migrates it. From then on, older programs ignore the tenant. */
export async function keepStateBefore(postgres: Postgres, lease: Lease, schema: number): Promise<void> {
  if (lease.schema === schema) return;
  const line = stateLineOf(lease.tenant);
  await postgres.together(async (ask) => {
    const [text, values] = heldBy(lease);
    if ((await ask(text, values)).length === 0) return;
    await keepBefore(ask, line, await findHead(ask, line, true));
    await ask('UPDATE tenant SET schema = $2 WHERE name = $1', [lease.tenant, schema]);
  });
}

/** Keeps a copy of a file if this program is about to migrate the file. The caller has locked it. */
export async function keepBefore(ask: AskPostgres, line: LineId, { number, schema }: Head): Promise<void> {
  if (number === 0 || schema >= newestSchema(line)) return;
  const { tenant, name } = line;
  await ask(FORGET, [tenant, `${name}@%`]);
  await ask(KEEP_PAGES, [tenant, name, `${name}@${schema}`]);
  await ask(KEEP_FILE, [tenant, name, `${name}@${schema}`]);
}

/** Removes a tenant's copies with names that match the second value; `%@%` matches all. */
export const FORGET = `WITH pages AS (DELETE FROM file_page WHERE tenant = $1 AND name LIKE $2)
DELETE FROM file WHERE tenant = $1 AND name LIKE $2`;

const KEEP_PAGES = `INSERT INTO file_page (tenant, name, page, commit_number, content)
SELECT tenant, $3, page, commit_number, content FROM file_page WHERE tenant = $1 AND name = $2`;
const KEEP_FILE = `INSERT INTO file (tenant, name, commit_id, commit_number, pages, schema)
SELECT tenant, $3, commit_id, commit_number, pages, schema FROM file WHERE tenant = $1 AND name = $2`;

export interface RolledBack {
  /** Null for a file that all tenants share. */
  readonly tenant: string | null;
  readonly name: LineName;
  /** ISO 8601; changes after this time are lost. */
  readonly from: string;
  /** False if the file was left unchanged because a process is working on it. */
  readonly isDone: boolean;
}

/** Restores all files to their copies from before the newest migration, if this program can read the copy. */
export async function rollBack(postgres: Postgres): Promise<readonly RolledBack[]> {
  const kept = await postgres.ask<KeptRow>(KEPT);
  const done: RolledBack[] = [];
  for (const { tenant, name: keptName, at, schema } of kept) {
    const name = keptName.slice(0, keptName.indexOf('@')) as LineName;
    if (Number(schema) > newestSchema({ name })) continue;
    const isDone = await postgres.together(async (ask) => {
      if ((await ask(name === 'state' ? FREE_STATE : FREE_FILE, [tenant, name, schema])).length === 0) return false;
      await ask('DELETE FROM file_page WHERE tenant = $1 AND name = $2', [tenant, name]);
      await ask('UPDATE file_page SET name = $2 WHERE tenant = $1 AND name = $3', [tenant, name, keptName]);
      await ask(PUT_BACK, [tenant, name, keptName, randomUUID()]);
      await ask('DELETE FROM file WHERE tenant = $1 AND name = $2', [tenant, keptName]);
      // Working copies cannot continue from here, so each is fetched again completely.
      await ask('DELETE FROM file_commit WHERE tenant = $1 AND name = $2', [tenant, name]);
      await ask('UPDATE tenant SET lost_from = least(lost_from, $2) WHERE name = $1', [tenant, at]);
      if (name === 'state') await ask(FREED, [tenant, schema]);
      return true;
    });
    done.push({ tenant: tenant === '' ? null : tenant, name, from: at.toISOString(), isDone });
  }
  return done;
}

const KEPT = `SELECT tenant, name, schema, at FROM file WHERE name LIKE '%@%' ORDER BY tenant, name`;
const FREE_STATE = `SELECT FROM tenant t JOIN file f ON f.tenant = t.name AND f.name = $2
WHERE t.name = $1 AND t.schema > $3 AND ${FREE} FOR UPDATE`;
const FREE_FILE = 'SELECT FROM file WHERE tenant = $1 AND name = $2 AND schema > $3 FOR UPDATE';
const PUT_BACK = `UPDATE file f SET
  commit_id = $4, commit_number = f.commit_number + 1, pages = k.pages, schema = k.schema, at = clock_timestamp()
FROM file k WHERE f.tenant = $1 AND f.name = $2 AND k.tenant = $1 AND k.name = $3`;
/** Ends the lease of a holder that has stopped renewing it. */
const FREED = `UPDATE tenant SET schema = $2, fence = fence + 1, claim = NULL, holder = NULL, lease_until = NULL WHERE name = $1`;

interface KeptRow {
  readonly [column: string]: unknown;
  readonly tenant: string;
  readonly name: string;
  readonly schema: string;
  readonly at: Date;
}
