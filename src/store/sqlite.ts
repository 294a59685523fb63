import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';

/** A raw connection. Bulk work uses its prepared statements. */
export type Sqlite = Database.Database;
/** The same connection with the schema's types. */
export type Orm = BetterSQLite3Database<Record<string, never>>;
