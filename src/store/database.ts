import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { isDriverFault, messageOf, SyncError } from '../base/errors.js';
import { makeFolderSync } from '../base/new-file.js';
import { backupFile } from './backup.js';
import { type DatabaseKind, MIGRATIONS, migrateDatabase } from './migrate.js';
import { makePrivate } from './private-file.js';
import { isForLooking, isWorkingCopy } from './remote/working-copy.js';
import type { Orm, Sqlite } from './sqlite.js';

export interface OpenDatabase {
  readonly sqlite: Sqlite;
  readonly orm: Orm;
}

export interface OpenOptions {
  /**
   * The current time in ISO 8601 if this process holds the run lock, and may therefore change tables; null without the
   * lock.
   */
  readonly lockedAt: string | null;
  /** True if a run may be using the same files. Staged rows are then in private tables. */
  readonly isBeside?: boolean;
  /** True if all writes will be rolled back. */
  readonly isTrial?: boolean;
  /** Called for a file that other users can read, if only its owner could change that. */
  readonly onOpenFile?: (file: string) => void;
  /** Folder of the migrations; the program's own by default. */
  readonly migrations?: string;
}

/**
 * Opens one of the worker's files and migrates it to the newest schema. state.db uses FULL, because an intent must be
 * on disk before its call is sent. mirror.db can be rebuilt, so it does not wait for the disk. Write-ahead logging
 * keeps it intact if the process is killed.
 */
export function openDatabase(file: string, kind: DatabaseKind, options: OpenOptions): OpenDatabase {
  const { lockedAt, migrations = MIGRATIONS.folder } = options;
  let sqlite: Sqlite | null = null;
  try {
    makeFolderSync(dirname(file), 0o700);
    if (!makePrivate(file)) options.onOpenFile?.(file);
    sqlite = new Database(file);
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma(`synchronous = ${kind === 'mirror' ? 'OFF' : 'FULL'}`);
    sqlite.pragma('foreign_keys = ON');
    // Overwrites deleted content, so that no removed audit entry remains in a free page.
    if (kind !== 'mirror') sqlite.pragma('secure_delete = ON');
    sqlite.pragma('busy_timeout = 10000');
    sqlite.pragma('temp_store = FILE');
    // A run reads its tables once, in order. Measurements showed no gain from a larger cache.
    sqlite.pragma('cache_size = -8000');
    if (kind === 'mirror') sqlite.pragma('wal_autocheckpoint = 4000');
    // Pages that leave the log unread would be missing in PostgreSQL, so only the process that reads the log empties it
    // (remote/file-log.ts).
    if (kind !== 'mirror' && isWorkingCopy(dirname(file))) sqlite.pragma('wal_autocheckpoint = 0');
    if (kind !== 'mirror' && lockedAt === null && options.isTrial !== true && isForLooking(dirname(file)))
      sqlite.pragma('query_only = ON');
    const orm = drizzle({ client: sqlite });
    const locked = lockedAt === null ? null : { at: lockedAt, backupFile: nameBackups(dirname(file), lockedAt) };
    migrateDatabase(sqlite, orm, { kind, file, migrations, locked });
    return { sqlite, orm };
  } catch (error) {
    sqlite?.close();
    if (error instanceof SyncError || isDriverFault(error)) throw error;
    throw new SyncError('SYNC_STATE_UNUSABLE', {
      message: `The ${kind} database cannot be opened: ${messageOf(error)}`,
      place: file,
      remedy:
        kind === 'state'
          ? 'Check that the folder is writable and the disk is not full; if the file is damaged, restore the newest backup of state.db.'
          : 'Check that the folder is writable and the disk is not full. mirror.db may be deleted: the next run reads everything again.',
      cause: error,
    });
  }
}

/**
 * Returns where to put a copy before a migration. Null if PostgreSQL keeps the copies, because an erasure would not
 * find one here.
 */
function nameBackups(folder: string, at: string): ((tag: string) => string) | null {
  return isWorkingCopy(folder) ? null : (tag) => backupFile(folder, at, `before-${tag}`);
}
