import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { SyncError } from '../errors.js';

export type Sqlite = Database.Database;
export type Orm = BetterSQLite3Database<Record<string, never>>;

/** The checkout's or package's `migrations/`, seen from `dist/store` as from `src/store`. */
const MIGRATIONS = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'migrations');

export interface OpenDatabase {
  readonly sqlite: Sqlite;
  readonly orm: Orm;
}

/**
 * Opens one of the worker's files and brings it to the newest schema.
 * state.db is FULL: an intent must be on disk before its call leaves. mirror.db can be made again, so it need not wait
 * for the disk; write-ahead logging keeps it whole through a killed process all the same.
 */
export function openDatabase(file: string, kind: 'state' | 'mirror'): OpenDatabase {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const fresh = !existsSync(file);
    const sqlite = new Database(file);
    if (fresh) chmodSync(file, 0o600);
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma(`synchronous = ${kind === 'state' ? 'FULL' : 'OFF'}`);
    sqlite.pragma('foreign_keys = ON');
    sqlite.pragma('busy_timeout = 10000');
    sqlite.pragma('temp_store = FILE');
    sqlite.pragma('cache_size = -16000');
    const orm = drizzle({ client: sqlite });
    migrate(orm, { migrationsFolder: join(MIGRATIONS, kind) });
    return { sqlite, orm };
  } catch (error) {
    throw new SyncError('SYNC_STATE_UNUSABLE', {
      message: `The ${kind} database cannot be opened: ${error instanceof Error ? error.message : String(error)}`,
      place: file,
      remedy:
        kind === 'state'
          ? 'Check that the folder is writable and the disk not full; if the file is damaged, restore the newest backup of state.db.'
          : 'Check that the folder is writable and the disk not full; mirror.db may be deleted, the next run reads everything again.',
      cause: error,
    });
  }
}
