import { existsSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { isDriverFault, SyncError } from '../base/errors.js';
import { makeFolderSync } from '../base/new-file.js';
import { makePrivate } from './private-file.js';
import { isWorkingCopy } from './remote/working-copy.js';
import { describeUnusable } from './unusable-folder.js';

export interface RunLock {
  /** Publishes the holder's current activity. */
  note(doing: Doing): void;
  close(): void;
}

interface Doing {
  readonly stage: string;
  /** ISO 8601. */
  readonly at: string;
  /** Null if the holder is not a run. */
  readonly run: string | null;
}

/** The current holder of the lock and its activity. Times are ISO 8601. */
export interface UnderWay {
  readonly holder: string;
  readonly run: string | null;
  /** Null if the holder has only just started. */
  readonly since: string | null;
  readonly stage: string | null;
  readonly stageSince: string | null;
}

/**
 * Allows one run at a time per state folder. The lock is SQLite's own lock on a third file. The operating system
 * releases it with the process, so a crash leaves no stale pid file. A file next to it contains the holder's name,
 * which only appears in messages.
 *
 * No decision depends on the content of the two files, so the next holder of the lock repairs any damage. There is one
 * exception: a lock file with content shows that a state existed.
 *
 * @throws SyncError SYNC_STATE_LOCKED, SYNC_STATE_UNUSABLE; SYNC_STATE_ELSEWHERE if the state is not in this folder
 */
export function acquireRunLock(folder: string, holder: string): RunLock {
  checkInHand(folder);
  const lock = lockFolder(folder, holder);
  try {
    // The state may have been pushed while this process was waiting for the lock.
    checkInHand(folder);
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** @throws SyncError SYNC_STATE_ELSEWHERE */
function checkInHand(folder: string): void {
  const elsewhere = { place: folder, ...(isWorkingCopy(folder) ? IN_POSTGRES : HANDED_OVER) };
  if (isWorkingCopy(folder) || existsSync(join(folder, TOMBSTONE)))
    throw new SyncError('SYNC_STATE_ELSEWHERE', elsewhere);
}

/** A daemon of version 0.2 left this file in a folder after handing over its state. A state next to it may be outdated. */
const TOMBSTONE = 'moved.json';

const IN_POSTGRES = {
  message: 'The state of this tenant is in PostgreSQL.',
  remedy: 'Leave it to the daemons, or move it back: `talent-sync state pull` into a folder without a state.',
};

const HANDED_OVER = {
  message: `The state of this tenant was handed over to another daemon of a fleet (${TOMBSTONE}).`,
  remedy: 'Take the state from the volume of that daemon; docs/guides/many-tenants.md says how to find it.',
};

/** References connections, because garbage collection would close them and release their locks. */
const held = new Set<Database.Database>();

/** Acquires the lock without checking which daemon owns the state. */
export function lockFolder(folder: string, holder: string): RunLock {
  try {
    return takeLock(folder, holder);
  } catch (error) {
    if (error instanceof SyncError || isDriverFault(error)) throw error;
    throw describeUnusable(folder, error);
  }
}

function takeLock(folder: string, holder: string): RunLock {
  makeFolderSync(folder, 0o700);
  const file = join(folder, 'run.lock');
  const holderFile = join(folder, 'run.lock.holder');
  const lock = openLocked(file);
  if (lock === null) throw describeHeld(file, holderFile);
  const notes = openNotes(holderFile);
  try {
    notes.write((holders) => writeHolder(holders, holder));
  } catch (error) {
    // An unreleased lock would also block this process.
    lock.close();
    throw error;
  }
  held.add(lock);
  return {
    note: (doing) => notes.write((holders) => writeDoing(holders, doing)),
    close() {
      try {
        lock.exec(hasOutlived(folder, file) ? 'PRAGMA user_version = 1; COMMIT' : 'ROLLBACK');
      } finally {
        notes.close();
        lock.close();
        held.delete(lock);
      }
    },
  };
}

/** True if a state exists that the lock file does not record yet. */
function hasOutlived(folder: string, file: string): boolean {
  return existsSync(join(folder, 'state.db')) && statSync(file, { throwIfNoEntry: false })?.size === 0;
}

/** @returns null if another connection holds the lock */
function openLocked(file: string): Database.Database | null {
  makePrivate(file);
  try {
    return beginExclusive(file);
  } catch (error) {
    if (!isDamage(error)) throw error;
    // SQLite reads the file under a lock, so nobody holds it. It is truncated in place. If a new file replaced it,
    // another process could get a second lock.
    truncateSync(file);
    for (const ending of ['-journal', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
    return beginExclusive(file);
  }
}

function beginExclusive(file: string): Database.Database | null {
  const lock = new Database(file);
  try {
    // Longer than a process needs to check if the lock is held.
    lock.pragma('busy_timeout = 20');
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return null;
    throw error;
  }
}

const HOLDER_TABLES = `
  CREATE TABLE IF NOT EXISTS holder (one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS doing (
    one INTEGER PRIMARY KEY CHECK (one = 1), since TEXT NOT NULL, stage TEXT NOT NULL, at TEXT NOT NULL, run TEXT);`;

function writeHolder(holders: Database.Database, holder: string): void {
  holders.prepare('INSERT INTO holder VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET name = excluded.name').run(holder);
  holders.exec('DELETE FROM doing');
}

function writeDoing(holders: Database.Database, { stage, at, run }: Doing): void {
  holders
    .prepare(
      `INSERT INTO doing VALUES (1, $at, $stage, $at, $run)
       ON CONFLICT (one) DO UPDATE SET stage = excluded.stage, at = excluded.at, run = excluded.run`,
    )
    .run({ stage, at, run });
}

/** Writes to the file through one connection. If the file is damaged, it is created again and the work is repeated. */
function openNotes(file: string) {
  let holders: Database.Database | null = null;
  const close = (): void => {
    holders?.close();
    holders = null;
  };
  const write = (work: (holders: Database.Database) => void): void => {
    try {
      holders ??= openHolders(file);
      work(holders);
    } catch (error) {
      close();
      throw error;
    }
  };
  return {
    close,
    write(work: (holders: Database.Database) => void): void {
      try {
        write(work);
      } catch (error) {
        if (!isDamage(error)) throw error;
        for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
        write(work);
      }
    },
  };
}

function openHolders(file: string): Database.Database {
  makePrivate(file);
  const holders = new Database(file, { timeout: 2_000 });
  try {
    // No decision depends on this file, so it does not wait for the disk.
    holders.pragma('synchronous = OFF');
    holders.exec(HOLDER_TABLES);
    return holders;
  } catch (error) {
    holders.close();
    throw error;
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(NOTADB|CORRUPT|SCHEMA|ERROR)/.test(error.code);
}

function describeHeld(file: string, holderFile: string): SyncError {
  return new SyncError('SYNC_STATE_LOCKED', {
    message: `Another run holds this state: ${readHolder(holderFile) ?? 'unknown process'}.`,
    place: file,
    remedy: 'Wait for that run to end, or stop it. The lock is released with its process.',
  });
}

/** Maps each folder to the process that works on its tenant on another machine. */
const elsewhere = new Map<string, UnderWay>();

/** Notes another daemon's activity for the tenant with its copy in this folder; null if there is none. */
export function noteElsewhere(folder: string, under: UnderWay | null): void {
  if (under === null) elsewhere.delete(folder);
  else elsewhere.set(folder, under);
}

/** Returns who is working on a state folder; null if nobody is. It changes nothing and does not block anyone. */
export function findUnderWay(folder: string): UnderWay | null {
  const file = join(folder, 'run.lock');
  if (!existsSync(file) || !isHeld(file)) return elsewhere.get(folder) ?? null;
  const holderFile = join(folder, 'run.lock.holder');
  const doing = readIn<Omit<UnderWay, 'holder'>>(holderFile, 'SELECT run, since, stage, at AS stageSince FROM doing');
  const nothing = { run: null, since: null, stage: null, stageSince: null };
  return { holder: readHolder(holderFile) ?? 'unknown process', ...(doing ?? nothing) };
}

/** Returns false if a shared lock can be acquired, because then nobody holds the lock. */
function isHeld(file: string): boolean {
  try {
    const lock = new Database(file, { readonly: true, timeout: 0 });
    try {
      lock.prepare('SELECT count(*) FROM sqlite_master').get();
      return false;
    } finally {
      lock.close();
    }
  } catch (error) {
    if (error instanceof Database.SqliteError) return error.code.startsWith('SQLITE_BUSY');
    throw error;
  }
}

function readHolder(file: string): string | null {
  return readIn<{ name: string }>(file, 'SELECT name FROM holder')?.name ?? null;
}

/** Returns null if the file is missing, damaged, or being written. */
function readIn<Row>(file: string, select: string): Row | null {
  if (!existsSync(file)) return null;
  try {
    const holders = new Database(file, { readonly: true, timeout: 2_000 });
    try {
      return (holders.prepare(select).get() as Row | undefined) ?? null;
    } finally {
      holders.close();
    }
  } catch (error) {
    if (error instanceof Database.SqliteError) return null;
    throw error;
  }
}
