import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { messageOf, SyncError } from '../base/errors.js';
import { forgetFailedMigration, noteFailedMigration, readFailedMigration } from './failed-migration.js';
import { keepSnapshot } from './snapshot.js';
import type { Orm, Sqlite } from './sqlite.js';
import { createStatements, listTables } from './statements.js';

/** The worker's files; each kind has its own list of migrations. */
export type DatabaseKind = 'state' | 'mirror' | 'operators';

/**
 * The `migrations/` folder of the checkout or package, relative to both `dist/store` and `src/store`. Tests replace it
 * to simulate a newer version.
 */
export const MIGRATIONS = { folder: join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'migrations') };

interface Migration {
  readonly when: number;
  readonly tag: string;
}

export interface MigrationOptions {
  readonly kind: DatabaseKind;
  readonly file: string;
  /** The folder that contains one folder per kind. */
  readonly migrations: string;
  /** Null if this process does not hold the run lock. It then never changes tables, because a run may be active. */
  readonly locked: LockedMigration | null;
}

interface LockedMigration {
  /** ISO 8601. */
  readonly at: string;
  /** Returns where to put a copy before the migration; null if PostgreSQL keeps the copies. */
  readonly backupFile: ((tag: string) => string) | null;
}

/**
 * Migrates a database to the newest schema if needed:
 *
 * | found | done |
 * |---|---|
 * | an empty file | all migrations |
 * | the newest schema | nothing |
 * | an older one, lock held | state.db is copied first; then the missing migrations, all or none |
 * | an older one, no lock | throws: the next run migrates it |
 * | a newer one | throws: this program could not interpret it |
 *
 * If this fails for mirror.db, the holder of the lock deletes the file: it can be read again (`open-stores.ts`).
 */
export function migrateDatabase(sqlite: Sqlite, orm: Orm, options: MigrationOptions): void {
  const { kind, file, migrations, locked } = options;
  const folder = join(migrations, kind);
  const known = readMigrations(folder);
  const newest = known.at(-1);
  const applied = lastApplied(sqlite);
  if (newest === undefined || applied === newest.when) return;
  if (applied === null && isEmpty(sqlite)) {
    migrate(orm, { migrationsFolder: folder });
    return;
  }
  if (applied !== null && applied > newest.when) throw newerThan(options);
  const migration = known.find(({ when }) => applied === null || when > applied)?.tag ?? '';
  if (locked === null) throw outdated(options, migration);
  const fileOf = kind === 'state' ? locked.backupFile : null;
  const backup = fileOf === null ? null : keepSnapshot(sqlite, fileOf(migration), `-before-${migration}`);
  try {
    migrate(orm, { migrationsFolder: folder });
  } catch (error) {
    noteFailedMigration(file, { at: locked.at, migration, message: causeOf(error), backup });
    throw cannotMigrate(options, backup, error);
  }
  forgetFailedMigration(file);
}

function outdated({ kind, file }: MigrationOptions, migration: string): SyncError {
  const message = `The ${kind} database has the tables of an older talent-sync`;
  const failed = readFailedMigration(file);
  if (failed?.migration === migration) {
    const { at, backup } = failed;
    return new SyncError('SYNC_STATE_MIGRATION', {
      message: `${message}; the update to this version at ${at} failed: ${failed.message}. The file is unchanged.`,
      place: file,
      remedy: describeWayBack(kind, backup),
    });
  }
  return new SyncError('SYNC_STATE_OUTDATED', {
    message: `${message}.`,
    place: file,
    remedy: 'Start the daemon or any run of this version, such as `plan`: it creates a backup and updates the tables.',
  });
}

function newerThan({ kind, file }: MigrationOptions): SyncError {
  return new SyncError('SYNC_STATE_NEWER', {
    message: `The ${kind} database was written by a newer talent-sync.`,
    place: file,
    remedy:
      kind === 'state'
        ? 'Run that version again, or restore the backup that it created before it changed the tables (`talent-sync state restore`).'
        : 'Any run of this version deletes the mirror and reads everything again.',
  });
}

function cannotMigrate({ kind, file }: MigrationOptions, backup: string | null, error: unknown): SyncError {
  return new SyncError('SYNC_STATE_MIGRATION', {
    message: `The ${kind} database could not be updated to this version: ${causeOf(error)}. The file is unchanged.`,
    place: file,
    remedy: describeWayBack(kind, backup),
    cause: error,
  });
}

/** drizzle's own message only contains the statement. */
function causeOf(error: unknown): string {
  return messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
}

function describeWayBack(kind: DatabaseKind, backup: string | null): string {
  if (kind === 'mirror') return 'The mirror is only a copy of the service, so it is deleted.';
  const kept = backup === null ? '' : ` A copy from before the attempt is ${backup}.`;
  return `If the disk is full, free space; then start it again, or send the daemon SIGHUP. Otherwise go back to the earlier version, and report this.${kept}`;
}

/** True if a newer program wrote the database. */
export function isNewer(sqlite: Sqlite, kind: DatabaseKind): boolean {
  return (lastApplied(sqlite) ?? 0) > newestOf(kind);
}

/** True if the database has this program's newest schema. */
export function isCurrent(sqlite: Sqlite, kind: DatabaseKind): boolean {
  return lastApplied(sqlite) === newestOf(kind);
}

/** The time that identifies this program's newest schema. */
export function newestOf(kind: DatabaseKind): number {
  return readMigrations(join(MIGRATIONS.folder, kind)).at(-1)?.when ?? 0;
}

function readMigrations(folder: string): readonly Migration[] {
  const journal = JSON.parse(readFileSync(join(folder, 'meta', '_journal.json'), 'utf8')) as {
    readonly entries: readonly Migration[];
  };
  return journal.entries;
}

/** The time that identifies the newest applied migration; null if there is none. drizzle maintains this table. */
function lastApplied(sqlite: Sqlite): number | null {
  if (!listTables(sqlite).includes('__drizzle_migrations')) return null;
  const last = createStatements(sqlite).value<number>('SELECT max(created_at) FROM __drizzle_migrations')();
  return last === null ? null : Number(last);
}

function isEmpty(sqlite: Sqlite): boolean {
  return listTables(sqlite).every((name) => name === '__drizzle_migrations');
}
