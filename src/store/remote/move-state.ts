import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { SyncError } from '../../base/errors.js';
import type { Lease, StateHead } from './leases.js';
import type { Postgres } from './postgres.js';
import { commitFile, fetchState } from './state-line.js';
import { leaveCopy, leaveState } from './working-copy.js';

/**
 * Brings the state of a folder into PostgreSQL, which has none of this tenant; what is in the folder is a working copy from then on.
 *
 * @throws SyncError SYNC_STATE_ELSEWHERE when there is one already, SYNC_STATE_DAMAGED when what arrived is not what was sent
 */
export async function pushState(postgres: Postgres, lease: Lease, folder: string): Promise<StateHead> {
  if (lease.state.number > 0) {
    throw new SyncError('SYNC_STATE_ELSEWHERE', {
      message: `PostgreSQL has a state of ${lease.tenant} already.`,
      place: folder,
      remedy: 'Bring that one back first (`talent-sync state pull`), into a folder without a state.',
    });
  }
  const file = join(folder, 'state.db');
  bringLogIn(file);
  const head = await commitFile(postgres, lease, file);
  await compare(postgres, lease.tenant, file);
  leaveCopy(folder, head);
  return head;
}

/**
 * Brings a state out of PostgreSQL into a folder, where it is any other state from then on. PostgreSQL keeps the row of the tenant, so
 * that no daemon begins an empty one.
 *
 * @throws SyncError SYNC_STATE_ELSEWHERE when there is none, SYNC_STATE_DAMAGED when what arrived is not what is there
 */
export async function pullState(postgres: Postgres, lease: Lease, folder: string): Promise<void> {
  if (lease.state.number === 0) {
    throw new SyncError('SYNC_STATE_ELSEWHERE', {
      message: `PostgreSQL has no state of ${lease.tenant}.`,
      place: folder,
      remedy: 'Check the name: a tenant is called as its configuration is.',
    });
  }
  await fetchState(postgres, lease, folder);
  await compare(postgres, lease.tenant, join(folder, 'state.db'));
  await postgres.together(async (ask) => {
    await ask('DELETE FROM state_page WHERE tenant = $1', [lease.tenant]);
    await ask('DELETE FROM state_commit WHERE tenant = $1', [lease.tenant]);
    await ask(LEFT, [lease.tenant, lease.fence, lease.claim]);
  });
  leaveState(folder);
}

const LEFT = `
UPDATE tenant SET commit_id = NULL, commit_number = 0, pages = 0, next_slot = NULL, left_at = clock_timestamp()
WHERE name = $1 AND fence = $2 AND claim = $3`;

function bringLogIn(file: string): void {
  const sqlite = new Database(file, { fileMustExist: true });
  try {
    sqlite.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    sqlite.close();
  }
}

const DIGEST =
  "SELECT encode(sha256(string_agg(content, ''::bytea ORDER BY page)), 'hex') AS digest FROM state_page WHERE tenant = $1";

async function compare(postgres: Postgres, tenant: string, file: string): Promise<void> {
  const [row] = await postgres.ask<{ digest: string | null }>(DIGEST, [tenant]);
  if (row?.digest === createHash('sha256').update(readFileSync(file)).digest('hex')) return;
  throw new SyncError('SYNC_STATE_DAMAGED', {
    message: 'The state in PostgreSQL and the file are not the same, byte by byte.',
    place: file,
    remedy: 'Nothing was moved. Try it again; if it happens again, check the disk and PostgreSQL.',
  });
}
