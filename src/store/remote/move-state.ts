import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { SyncError } from '../../base/errors.js';
import { makeFolderSync } from '../../base/new-file.js';
import { createAuditStore } from '../state/audit-store.js';
import { openStateFile } from '../state/state-file.js';
import { fetchDocuments, watchDocuments } from './documents.js';
import {
  addCommit,
  type DocumentChanges,
  fetchLine,
  findHead,
  type Head,
  type LineId,
  NO_COMMIT,
  splitPages,
} from './file-line.js';
import { explainLoss, type Lease } from './leases.js';
import type { Postgres } from './postgres.js';
import { pushedOf } from './pushed-file.js';
import { heldBy, stateLineOf } from './state-line.js';
import {
  beginCopy,
  checkCopyable,
  emptyCopy,
  isWorkingCopy,
  leaveCopy,
  leaveState,
  makePushedCopy,
} from './working-copy.js';

/**
 * Moves a folder's state into PostgreSQL, which must not contain a state of this tenant yet. The folder becomes a
 * working copy.
 *
 * @param at current time in ISO 8601
 * @param schema the newest schema of a state that this program knows
 * @throws SyncError SYNC_STATE_ELSEWHERE if there already is a state, SYNC_STATE_DAMAGED if the stored file differs
 * from the file sent
 */
export async function pushState(
  postgres: Postgres,
  lease: Lease,
  folder: string,
  { at, schema }: { readonly at: string; readonly schema: number },
): Promise<Head> {
  const { tenant } = lease;
  if ((await findHead(postgres.ask, stateLineOf(tenant))).number > 0) {
    throw new SyncError('SYNC_STATE_ELSEWHERE', {
      message: `PostgreSQL already has a state of ${tenant}.`,
      place: folder,
      remedy: 'First move that state back (`talent-sync state pull`) into a folder without a state.',
    });
  }
  const file = join(folder, 'state.db');
  const { sqlite } = openStateFile(folder, { lockedAt: at });
  // Readers of the copy cannot create this key.
  createAuditStore(sqlite).makePseudonymKey();
  sqlite.close();
  const pushed = makePushedCopy(folder);
  openStateFile(pushed, { lockedAt: at }).sqlite.close();
  movePushed(file, join(pushed, 'state.db'));
  const documents = watchDocuments(postgres, tenant, folder, 'none').changes(true);
  const head = await put(postgres, lease, stateLineOf(tenant), { file, documents });
  await put(postgres, lease, pushedOf(tenant), { file: join(pushed, 'state.db') });
  await postgres.ask('UPDATE tenant SET left_at = NULL, schema = $2 WHERE name = $1', [tenant, schema]);
  leaveCopy(folder, head);
  return head;
}

/**
 * Moves a state from PostgreSQL into a folder, where it becomes an ordinary state. PostgreSQL keeps the tenant's row,
 * so that no daemon starts an empty state. The folder stays a copy until PostgreSQL has given the state up.
 *
 * @param at current time in ISO 8601
 * @throws SyncError SYNC_STATE_ELSEWHERE if there is no state, SYNC_STATE_DAMAGED if the file differs from the stored
 * one, SYNC_STATE_LOCKED if an order is waiting, SYNC_LEASE_LOST
 */
export async function pullState(postgres: Postgres, lease: Lease, folder: string, at: string): Promise<void> {
  const { tenant } = lease;
  if ((await findHead(postgres.ask, stateLineOf(tenant))).number === 0) {
    throw new SyncError('SYNC_STATE_ELSEWHERE', {
      message: `PostgreSQL has no state of ${tenant}.`,
      place: folder,
      remedy: 'Check the name. A tenant has the same name as its configuration.',
    });
  }
  await refuseWaiting(postgres.ask, tenant);
  checkCopyable(folder);
  const file = join(folder, 'state.db');
  if (isWorkingCopy(folder)) emptyCopy(folder);
  beginCopy(folder);
  await fetchLine(postgres, stateLineOf(tenant), { file, at: null });
  await compare(postgres, stateLineOf(tenant), file);
  await fetchDocuments(postgres, tenant, folder);
  openStateFile(folder, { lockedAt: at }).sqlite.close();
  const [held, values] = heldBy(lease);
  await postgres.together(async (ask) => {
    await ask('SET LOCAL idle_in_transaction_session_timeout = 0');
    // From here on, nobody can add decisions, orders or pushed data.
    await ask('SELECT FROM tenant WHERE name = $1 FOR UPDATE', [tenant]);
    if ((await ask(held, values)).length === 0) throw await explainLoss({ ask }, lease);
    await refuseWaiting(ask, tenant);
    await fetchPushed({ ask, seal: postgres.seal }, tenant, folder, at);
    for (const table of ['file', 'file_page', 'file_commit', 'document', 'inbox'])
      await ask(`DELETE FROM ${table} WHERE tenant = $1`, [tenant]);
    await ask(LEFT, [tenant]);
  });
  leaveState(folder);
}

/** Moves pushed users and groups into the state of the folder. */
async function fetchPushed(
  postgres: Pick<Postgres, 'ask' | 'seal'>,
  tenant: string,
  folder: string,
  at: string,
): Promise<void> {
  const pushed = makePushedCopy(folder);
  const file = join(pushed, 'state.db');
  const arrived = await fetchLine(postgres, pushedOf(tenant), { file, at: null });
  openStateFile(pushed, { lockedAt: at }).sqlite.close();
  if (arrived.number > 0) movePushed(file, join(folder, 'state.db'));
  rmSync(pushed, { recursive: true, force: true });
}

/** @throws SyncError SYNC_STATE_LOCKED if an order is waiting, because no daemon would carry it out */
async function refuseWaiting(ask: Postgres['ask'], tenant: string): Promise<void> {
  const rows = await ask('SELECT FROM inbox WHERE tenant = $1 AND ended_at IS NULL', [tenant]);
  if (rows.length === 0) return;
  throw new SyncError('SYNC_STATE_LOCKED', {
    message: `Decisions or requests for ${tenant} are still pending: ${rows.length}.`,
    place: tenant,
    remedy: 'Wait until a daemon has carried them out, and try again. Nothing was moved.',
  });
}

interface CommittedFile {
  readonly file: string;
  readonly documents?: DocumentChanges;
}

/** Adds the first commit of a line. It contains the complete file, which is read back and compared. */
async function put(postgres: Postgres, lease: Lease, line: LineId, { file, documents }: CommittedFile): Promise<Head> {
  const sent = { ...splitPages(readFileSync(file)), after: NO_COMMIT, allowed: heldBy(lease) };
  const head = await addCommit(postgres, line, documents === undefined ? sent : { ...sent, documents });
  if (head === null) throw await explainLoss(postgres, lease);
  await compare(postgres, line, file);
  return head;
}

async function compare(postgres: Postgres, line: LineId, file: string): Promise<void> {
  const folder = join(dirname(file), 'compare');
  makeFolderSync(folder, 0o700);
  try {
    const again = join(folder, 'state.db');
    await fetchLine(postgres, line, { file: again, at: null });
    if (existsSync(again) && readFileSync(again).equals(readFileSync(file))) return;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  throw new SyncError('SYNC_STATE_DAMAGED', {
    message: 'The state in PostgreSQL and the file differ.',
    place: file,
    remedy: 'Nothing was moved. Try again; if it happens again, check the disk and PostgreSQL.',
  });
}

const LEFT = `UPDATE tenant SET schema = 0, next_slot = NULL, facts = NULL, left_at = clock_timestamp() WHERE name = $1`;

/** Tables of pushed data; they refer only to each other. */
const PUSHED_TABLES = ['pushed_resources', 'pushed_members', 'pushed_emails', 'pushed_gone'];

/** Copies pushed data between two files that both have the newest tables. */
function movePushed(from: string, to: string): void {
  const sqlite = new Database(from, { fileMustExist: true });
  try {
    sqlite.pragma('secure_delete = ON');
    sqlite.prepare('ATTACH DATABASE ? AS target').run(to);
    sqlite.transaction(() => {
      for (const table of PUSHED_TABLES) {
        sqlite.exec(`DELETE FROM target.${table}; INSERT INTO target.${table} SELECT * FROM main.${table}`);
        sqlite.exec(`DELETE FROM main.${table}`);
      }
    })();
    for (const schema of ['main', 'target']) sqlite.pragma(`${schema}.wal_checkpoint(TRUNCATE)`);
  } finally {
    sqlite.close();
  }
}
