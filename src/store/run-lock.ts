import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { SyncError } from '../errors.js';

export interface RunLock {
  close(): void;
}

/**
 * One run at a time on one state folder. The lock is SQLite's own lock on a third file, which the operating system drops
 * with the process: no stale pid file can outlive a crash. Who holds it is written beside it, for the message only.
 */
export function acquireRunLock(folder: string, holder: string): RunLock {
  try {
    return takeLock(folder, holder);
  } catch (error) {
    if (error instanceof SyncError) throw error;
    throw new SyncError('SYNC_STATE_UNUSABLE', {
      message: `The state folder cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      place: folder,
      remedy: 'Correct `state`, or make the folder one that this user may write to.',
      cause: error,
    });
  }
}

function takeLock(folder: string, holder: string): RunLock {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'run.lock');
  const holders = new Database(join(folder, 'run.lock.holder'));
  try {
    holders.pragma('busy_timeout = 2000');
    holders.exec('CREATE TABLE IF NOT EXISTS holder (one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL)');
    const lock = new Database(file);
    try {
      lock.pragma('busy_timeout = 0');
      if (!beginExclusive(lock)) throw describeHeld(file, holders);
      holders
        .prepare('INSERT INTO holder VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET name = excluded.name')
        .run(holder);
    } catch (error) {
      // A lock that nobody would give back shuts this process out too.
      lock.close();
      throw error;
    }
    return {
      close() {
        lock.exec('ROLLBACK');
        lock.close();
      },
    };
  } finally {
    holders.close();
  }
}

/** @returns false when another connection has it */
function beginExclusive(lock: Database.Database): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return false;
    throw error;
  }
}

function describeHeld(file: string, holders: Database.Database): SyncError {
  const name = holders.prepare('SELECT name FROM holder').pluck().get();
  return new SyncError('SYNC_STATE_LOCKED', {
    message: `Another run holds this state: ${typeof name === 'string' ? name : 'unknown process'}.`,
    place: file,
    remedy: 'Wait for it to end, or stop it; the lock goes with its process.',
  });
}
