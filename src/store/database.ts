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
  /** ISO 8601 now, when this process holds the run lock: only then may tables be changed. null without the lock. */
  readonly lockedAt: string | null;
  /** Beside a run that is going on, over the same files: what is staged is nobody else's. */
  readonly isBeside?: boolean;
  /** All writes are rolled back. */
  readonly isTrial?: boolean;
  /** Told of a file that others may read as well, and whose rights only its owner may change. */
  readonly onOpenFile?: (file: string) => void;
  /** Folder of the migrations; by default the program's own. */
  readonly migrations?: string;
}

/**
 * Opens one of the worker's files and brings it to the newest schema.
 * state.db is FULL: an intent must be on disk before its call leaves. mirror.db can be made again, so it need not wait
 * for the disk; write-ahead logging keeps it whole through a killed process all the same.
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
    // What is deleted is overwritten: an audit entry that was taken out must not be on in a free page.
    if (kind !== 'mirror') sqlite.pragma('secure_delete = ON');
    sqlite.pragma('busy_timeout = 10000');
    sqlite.pragma('temp_store = FILE');
    // A run walks through its tables once, in their order: a larger cache was measured to save no time.
    sqlite.pragma('cache_size = -8000');
    if (kind === 'mirror') sqlite.pragma('wal_autocheckpoint = 4000');
    // PostgreSQL would lack every page that leaves the log unread, so only its reader ends the log (remote/file-log.ts).
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
          ? 'Check that the folder is writable and the disk not full; if the file is damaged, restore the newest backup of state.db.'
          : 'Check that the folder is writable and the disk not full; mirror.db may be deleted, the next run reads everything again.',
      cause: error,
    });
  }
}

/** Where copies from before a migration go; null: PostgreSQL keeps them, and no erasure would find one here. */
function nameBackups(folder: string, at: string): ((tag: string) => string) | null {
  return isWorkingCopy(folder) ? null : (tag) => backupFile(folder, at, `before-${tag}`);
}
