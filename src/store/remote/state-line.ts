import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, ftruncateSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openNewSync } from '../../base/new-file.js';
import { findHolder, type Lease, lostLease, type StateHead } from './leases.js';
import type { Postgres } from './postgres.js';
import { type ChangedPages, createWalReader, type WalReader } from './wal-pages.js';
import { beginCopy, checkIsCopy, emptyCopy, leaveCopy, readCopy } from './working-copy.js';

interface Unsent {
  readonly next: StateHead;
  readonly pages: ChangedPages['pages'];
}

const PAGE_BYTES = 4_096;
/** Pages of one statement. */
const PAGES_TOGETHER = 1_000;
/** A log of this size is brought into the file. */
const LOG_BYTES = 4 * 1024 * 1024;

/**
 * A state in PostgreSQL, held by a lease: a line of commits, each of which names the one before it.
 *
 *     state.db ──commit──► state.db-wal ──its changed pages──► PostgreSQL ──► a call leaves, an answer is given, a run ends
 */
export interface StateLine {
  /** Brings all that was committed to PostgreSQL. @throws SyncError SYNC_LEASE_LOST, SYNC_BACKEND_* */
  ship(): Promise<void>;
  /** The same, and leaves the folder complete. To be called when nobody else has its files open. */
  leave(): Promise<void>;
  /** Leaves the folder without a word on it: what it has beyond PostgreSQL is thrown away by the next holder. */
  drop(): void;
}

/**
 * Makes the folder of a tenant what PostgreSQL has, and holds on to it.
 *
 * @throws SyncError SYNC_BACKEND_*; SYNC_STATE_ELSEWHERE if the folder has a state that never was in PostgreSQL
 */
export async function openStateLine(postgres: Postgres, lease: Lease, folder: string): Promise<StateLine> {
  await fetchState(postgres, lease, folder);
  beginCopy(folder);
  const file = join(folder, 'state.db');
  const keeper = openKeeper(file);
  const reader = createWalReader(`${file}-wal`);
  let head = lease.state;
  let unsent: ChangedPages | null = head.number === 0 ? readAnew(keeper, reader, file) : null;
  let sending: Promise<void> = Promise.resolve();

  /** In one go, so that nothing is committed between the look and the checkpoint. */
  function collect(): void {
    const read = reader.read();
    if (read === 'lost') unsent = readAnew(keeper, reader, file);
    else if (read !== null) unsent = { ...read, pages: new Map([...(unsent?.pages ?? []), ...read.pages]) };
    if (reader.size() > LOG_BYTES) bringIn(keeper, reader);
  }

  async function send(): Promise<void> {
    const fault = lease.fault();
    if (fault !== null) throw fault;
    collect();
    if (unsent === null) return;
    const { pages, pageCount } = unsent;
    unsent = null;
    const next: StateHead = { id: randomUUID(), number: head.number + 1, pages: pageCount };
    await commit(postgres, lease, head, { next, pages });
    head = next;
  }

  function ship(): Promise<void> {
    // After one that has failed nothing more is sent: what it left out is missing in each that would follow.
    sending = sending.then(send);
    sending.catch(() => undefined);
    return sending;
  }

  return {
    ship,
    async leave() {
      await ship();
      // The last one who closes a database brings its log into the file.
      keeper.close();
      leaveCopy(folder, head);
    },
    drop: () => void keeper.close(),
  };
}

/** As long as one connection is open, no other one ends the log. */
function openKeeper(file: string): Database.Database {
  const keeper = new Database(file);
  keeper.pragma('journal_mode = WAL');
  keeper.pragma('synchronous = FULL');
  keeper.pragma('wal_autocheckpoint = 0');
  // A connection has the file open when it has read from it.
  keeper.prepare('SELECT count(*) FROM sqlite_schema').get();
  return keeper;
}

function bringIn(keeper: Database.Database, reader: WalReader): void {
  const [result] = keeper.pragma('wal_checkpoint(TRUNCATE)') as readonly { readonly busy: number }[];
  if (result?.busy === 0) reader.restarts();
}

/** Every page: of a new state, and where somebody else has ended the log. */
function readAnew(keeper: Database.Database, reader: WalReader, file: string): ChangedPages {
  bringIn(keeper, reader);
  return readFile(file);
}

function readFile(file: string): ChangedPages {
  const content = readFileSync(file);
  const pageCount = content.length / PAGE_BYTES;
  const pages = new Map<number, Buffer>();
  for (let page = 0; page < pageCount; page++)
    pages.set(page + 1, content.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES));
  return { pageCount, pages };
}

/** Brings a folder to a commit; nothing is asked where it was left there. */
export async function fetchState(postgres: Postgres, lease: Lease, folder: string): Promise<void> {
  const copy = readCopy(folder);
  if (copy !== null && copy.id === lease.state.id) return;
  checkIsCopy(folder, lease.tenant);
  beginCopy(folder);
  const isOlder = copy !== null && (await isInLine(postgres, lease.tenant, copy));
  // The mirror is as old as the copy was.
  emptyCopy(folder, isOlder ? ['state.db'] : []);
  if (lease.state.number > 0) await fetchPages(postgres, lease, isOlder ? copy.number : 0, folder);
}

async function isInLine(postgres: Postgres, tenant: string, { id, number }: Pick<StateHead, 'id' | 'number'>) {
  const text = 'SELECT 1 FROM state_commit WHERE tenant = $1 AND number = $2 AND id = $3';
  return (await postgres.ask(text, [tenant, number, id])).length > 0;
}

/** Puts the pages that changed after a commit in their places; all, after 0. */
async function fetchPages(postgres: Postgres, { tenant, state }: Lease, after: number, folder: string): Promise<void> {
  const [file, draft] = [join(folder, 'state.db'), join(folder, 'state.db.arriving')];
  rmSync(draft, { force: true });
  const handle = openNewSync(draft);
  try {
    if (after > 0) writeSync(handle, readFileSync(file));
    for (let last = 0; ; ) {
      const rows = await postgres.ask<{ page: number; content: Buffer }>(FETCH, [tenant, after, last, PAGES_TOGETHER]);
      for (const { page, content } of rows) writeSync(handle, content, 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
      last = rows.at(-1)?.page ?? last;
      if (rows.length < PAGES_TOGETHER) break;
    }
    ftruncateSync(handle, state.pages * PAGE_BYTES);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  // Somebody may have looked meanwhile: a log of another file would be brought into this one.
  for (const left of ['-wal', '-shm']) rmSync(`${file}${left}`, { force: true });
  renameSync(draft, file);
}

const FETCH =
  'SELECT page, content FROM state_page WHERE tenant = $1 AND commit_number > $2 AND page > $3 ORDER BY page LIMIT $4';

async function commit(postgres: Postgres, lease: Lease, head: StateHead, { next, pages }: Unsent): Promise<void> {
  const { tenant, fence, claim } = lease;
  const numbers = [...pages.keys()];
  const valuesFrom = (at: number) => {
    const some = numbers.slice(at, at + PAGES_TOGETHER);
    return [some, some.map((number) => pages.get(number))];
  };
  // One statement needs no transaction around it.
  const inOne: Postgres['together'] =
    numbers.length <= PAGES_TOGETHER ? (work) => work(postgres.ask) : postgres.together;
  const isDone = await inOne(async (ask) => {
    const about = [tenant, fence, claim, head.id, next.id, next.number, next.pages];
    if ((await ask(COMMIT, [...about, ...valuesFrom(0)])).length === 0) return false;
    for (let at = PAGES_TOGETHER; at < numbers.length; at += PAGES_TOGETHER)
      await ask(PUT, [tenant, next.number, ...valuesFrom(at)]);
    return true;
  });
  if (!isDone) throw lostLease(tenant, await findHolder(postgres, tenant));
}

/** The first commit: a complete file. */
export async function commitFile(postgres: Postgres, lease: Lease, file: string): Promise<StateHead> {
  const { pages, pageCount } = readFile(file);
  const next: StateHead = { id: randomUUID(), number: lease.state.number + 1, pages: pageCount };
  await commit(postgres, lease, lease.state, { next, pages });
  return next;
}

/** Commits that are kept to find out if a copy is in the line. */
const COMMITS_KEPT = 1_000;

const ON_CONFLICT =
  'ON CONFLICT (tenant, page) DO UPDATE SET commit_number = excluded.commit_number, content = excluded.content';

/** One statement: the commit with all of its pages, or nothing where the line or the lease is another's. */
const COMMIT = `
WITH line AS (
  UPDATE tenant SET commit_id = $5, commit_number = $6, pages = $7
  WHERE name = $1 AND fence = $2 AND claim = $3 AND commit_id IS NOT DISTINCT FROM $4
  RETURNING name, fence
), noted AS (
  INSERT INTO state_commit (tenant, number, id, fence) SELECT name, $6, $5, fence FROM line
), forgotten AS (
  DELETE FROM state_commit WHERE tenant IN (SELECT name FROM line) AND number <= $6 - ${COMMITS_KEPT}
), gone AS (
  DELETE FROM state_page WHERE tenant IN (SELECT name FROM line) AND page > $7
), put AS (
  INSERT INTO state_page (tenant, page, commit_number, content)
  SELECT line.name, p.page, $6, p.content FROM line, unnest($8::integer[], $9::bytea[]) AS p (page, content)
  ${ON_CONFLICT}
)
SELECT name FROM line`;

const PUT = `
INSERT INTO state_page (tenant, page, commit_number, content)
SELECT $1, p.page, $2, p.content FROM unnest($3::integer[], $4::bytea[]) AS p (page, content)
${ON_CONFLICT}`;
