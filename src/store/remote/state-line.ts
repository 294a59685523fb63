import { join } from 'node:path';
import { fetchDocuments, fetchPlans, watchDocuments } from './documents.js';
import {
  addCommit,
  checkKnown,
  fetchLine,
  findHead,
  type Head,
  type LineId,
  type NextCommit,
  type Statement,
} from './file-line.js';
import { openFileLog } from './file-log.js';
import { explainLoss, type Lease } from './leases.js';
import type { Postgres } from './postgres.js';
import { readSeenMirror } from './seen-mirror.js';
import { beginCopy, checkCopyable, discardSeen, emptyCopy, leaveCopy, readCopy } from './working-copy.js';

/**
 * A state in PostgreSQL, held with a lease. Calls, answers and the end of a run follow only once it has the changes:
 *
 *     state.db ──commit──► state.db-wal ──its changed pages──► PostgreSQL ──► call, answer, end of the run
 */
export interface StateLine {
  /**
   * Stores everything that was committed in PostgreSQL.
   *
   * @param also statements executed in the same transaction
   * @throws SyncError SYNC_LEASE_LOST, SYNC_BACKEND_*
   */
  ship(also?: readonly Statement[]): Promise<void>;
  /** Fetches other holders' plans into the folder. */
  fetchPlans(): Promise<void>;
  /** The newest commit. */
  head(): Head;
  /** Stores all commits and leaves the folder complete. Call it when nobody else has its files open. */
  leave(also?: readonly Statement[]): Promise<void>;
  /** Leaves the folder without a mark, so that the next holder discards anything that PostgreSQL lacks. */
  drop(): void;
}

/** The name of a tenant's state in PostgreSQL. */
export function stateLineOf(tenant: string): LineId {
  return { tenant, name: 'state' };
}

/**
 * Updates a tenant's folder to the state in PostgreSQL, and keeps the state open.
 *
 * @throws SyncError SYNC_BACKEND_*
 */
export async function openStateLine(postgres: Postgres, lease: Lease, folder: string): Promise<StateLine> {
  const { tenant } = lease;
  const isForLookers = readCopy(folder)?.extent === 'seen';
  // Plans from before an erasure must not stay. Plans are fetched on demand.
  let head = await fetchState(postgres, tenant, folder, ['state.db']);
  if (isForLookers) discardSeen(folder);
  beginCopy(folder);
  const log = openFileLog(join(folder, 'state.db'), head.number === 0);
  const documents = watchDocuments(postgres, tenant, folder);
  let sending: Promise<void> = Promise.resolve();

  async function send(also: readonly Statement[], isLast: boolean): Promise<void> {
    if (lease.fault() !== null) throw await explainLoss(postgres, lease);
    const changed = log.take();
    const news = documents.changes(isLast);
    // Other daemons look for new plans only when there is a new commit.
    const isNews = changed !== null || news.come.length + news.gone.length > 0;
    const pages = changed ?? { pages: new Map<number, Buffer>(), pageCount: head.pages };
    if (isNews) head = await commit(postgres, lease, { ...pages, after: head, documents: news, also });
    else if (also.length > 0) await doHeld(postgres, lease, also);
  }

  function ship(also: readonly Statement[] = [], isLast = false): Promise<void> {
    // After a failure, nothing more is sent, because later commits would lack the missing changes.
    sending = sending.then(() => send(also, isLast));
    sending.catch(() => undefined);
    return sending;
  }

  function fetchInTurn(): Promise<void> {
    const fetched = sending.then(() => documents.fetch());
    // A failed fetch keeps nothing from being sent.
    sending = sending.then(() => fetched.catch(() => undefined));
    sending.catch(() => undefined);
    return fetched;
  }

  return {
    ship: (also) => ship(also),
    fetchPlans: fetchInTurn,
    head: () => head,
    async leave(also = []) {
      await ship(also, true);
      // The last connection that closes a database applies its log to the file.
      log.close();
      leaveCopy(folder, head, 'complete', documents.hasFetched());
    },
    drop: () => void log.close(),
  };
}

/** Updates a folder to the newest commit. If the folder was left at that commit, nothing is fetched. */
async function fetchState(postgres: Postgres, tenant: string, folder: string, kept: readonly string[]): Promise<Head> {
  const copy = { file: join(folder, 'state.db'), at: readCopy(folder) };
  return fetchLine(postgres, stateLineOf(tenant), copy, (isUsed) => {
    beginCopy(folder);
    // The mirror is as old as the copy.
    emptyCopy(folder, isUsed ? kept : []);
    return true;
  });
}

/**
 * Updates an idle folder to the state in PostgreSQL, including plans, for readers.
 *
 * @returns true if there is a state
 * @throws SyncError SYNC_STATE_NEWER, SYNC_STATE_ELSEWHERE, SYNC_BACKEND_*
 */
export async function bringUpCopy(postgres: Postgres, tenant: string, folder: string): Promise<boolean> {
  checkCopyable(folder);
  const before = readCopy(folder);
  const newest = await findHead(postgres.ask, stateLineOf(tenant));
  checkKnown(stateLineOf(tenant), newest);
  if (newest.number === 0) beginCopy(folder);
  if (newest.number === 0) return false;
  if (newest.id === before?.id) {
    if (before.hasPlans) return true;
    const isRead = readSeenMirror(folder) !== null;
    await (isRead ? fetchPlans : fetchDocuments)(postgres, tenant, folder);
    leaveCopy(folder, newest, isRead ? before.extent : 'seen', true);
    return true;
  }
  const head = await postgres.together(async (ask) => {
    const found = await fetchState({ ...postgres, ask }, tenant, folder, ['state.db', 'plans']);
    await fetchDocuments({ ...postgres, ask }, tenant, folder);
    return found;
  }, 'snapshot');
  if (head.number > 0) leaveCopy(folder, head, 'seen', true);
  return head.number > 0;
}

async function commit(postgres: Postgres, lease: Lease, next: NextCommit): Promise<Head> {
  const head = await addCommit(postgres, stateLineOf(lease.tenant), { ...next, allowed: heldBy(lease) });
  if (head === null) throw await explainLoss(postgres, lease);
  return head;
}

/** Executes statements without a commit. Only the tenant's holder may do so. */
async function doHeld(postgres: Postgres, lease: Lease, statements: readonly Statement[]): Promise<void> {
  const [text, values] = heldBy(lease);
  const isDone = await postgres.together(async (ask) => {
    if ((await ask(text, values)).length === 0) return false;
    for (const [one, given] of statements) await ask(one, given);
    return true;
  });
  if (!isDone) throw await explainLoss(postgres, lease);
}

/** Locks the row until the statement or transaction ends, so that nobody can claim the tenant meanwhile. */
export function heldBy({ tenant, fence, claim }: Lease): Statement {
  const text = 'SELECT FROM tenant WHERE name = $1 AND fence = $2 AND claim = $3 FOR NO KEY UPDATE';
  return [text, [tenant, fence, claim]];
}
