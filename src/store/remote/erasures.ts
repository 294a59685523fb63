import Database from 'better-sqlite3';
import { listErased } from '../erasure-store.js';

/** People that were erased from a state, ever; 0 where it has no tables yet. */
export function countErasures(file: string): number {
  const sqlite = new Database(file);
  try {
    sqlite.pragma('busy_timeout = 10000');
    return hasFacts(sqlite) ? listErased(sqlite).length : 0;
  } finally {
    sqlite.close();
  }
}

/** Its first holder may have died before it made the tables. */
export function hasFacts(sqlite: Database.Database): boolean {
  return sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'facts'").get() !== undefined;
}
