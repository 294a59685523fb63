import Database from 'better-sqlite3';
import { listErased } from '../erasure-store.js';

/** Number of people who were ever erased from a state; 0 if the state has no tables yet. */
export function countErasures(file: string): number {
  const sqlite = new Database(file);
  try {
    sqlite.pragma('busy_timeout = 10000');
    return hasFacts(sqlite) ? listErased(sqlite).length : 0;
  } finally {
    sqlite.close();
  }
}

/** False if the state's first holder ended before it created the tables. */
export function hasFacts(sqlite: Database.Database): boolean {
  return sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'facts'").get() !== undefined;
}
