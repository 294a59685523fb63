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
  holders.pragma('busy_timeout = 2000');
  holders.exec('CREATE TABLE IF NOT EXISTS holder (one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL)');
  const lock = new Database(file);
  lock.pragma('busy_timeout = 0');
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    if (!isBusy(error)) throw error;
    const row = holders.prepare('SELECT name FROM holder').pluck().get();
    lock.close();
    holders.close();
    throw new SyncError('SYNC_STATE_LOCKED', {
      message: `Another run holds this state: ${typeof row === 'string' ? row : 'unknown process'}.`,
      place: file,
      remedy: 'Wait for it to end, or stop it; the lock goes with its process.',
      cause: error,
    });
  }
  holders.prepare('INSERT INTO holder VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET name = excluded.name').run(holder);
  holders.close();
  return {
    close() {
      lock.exec('ROLLBACK');
      lock.close();
    },
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}
