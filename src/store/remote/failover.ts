import Database from 'better-sqlite3';
import { createNamedValues } from '../named-values.js';
import { createLostStateStore } from '../state/state-file.js';
import { hasFacts } from './erasures.js';

/** How reliably PostgreSQL stores data. */
export interface Durability {
  /** Increases with each failover. */
  readonly timeline: string;
  /** True if a commit is confirmed only once a standby has stored it too. */
  readonly isSynchronous: boolean;
  /** Number of servers that currently replicate this one. */
  readonly standbys: number;
}

/** Columns that any statement can select. */
export const DURABILITY = `substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline,
  current_setting('synchronous_standby_names') <> '' AS is_synchronous,
  (SELECT count(*)::int FROM pg_stat_replication) AS standbys`;

export interface DurabilityRow {
  readonly [column: string]: unknown;
  readonly timeline: string;
  readonly is_synchronous: boolean;
  readonly standbys: number;
}

export function toDurability({ timeline, is_synchronous: isSynchronous, standbys }: DurabilityRow): Durability {
  return { timeline, isSynchronous, standbys };
}

/** PostgreSQL's answer to a claim. */
interface ClaimedWith {
  readonly durability: Durability;
  readonly lostFrom: string | null;
}

const SEEN = 'backend.durability';

/**
 * Detects commits lost in a failover or a rollback. A standby may lack the newest commits. The state then counts as
 * restored from a backup: approvals are dropped, and destructive changes need an approval that covers the lost period.
 *
 * @param file the held state.db
 * @param head time of its newest commit, in ISO 8601
 * @param now ISO 8601
 * @returns start of the period in which commits may be missing, in ISO 8601; null if none are missing
 */
export function noteLoss(
  file: string,
  { durability, lostFrom }: ClaimedWith,
  head: string,
  now: string,
): string | null {
  const sqlite = new Database(file);
  try {
    sqlite.pragma('busy_timeout = 10000');
    if (!hasFacts(sqlite)) return null;
    const facts = createNamedValues(sqlite, 'facts');
    const { timeline, isSynchronous } = durability;
    const seen = `${timeline} ${isSynchronous ? 'synchronous' : 'asynchronous'}`;
    const [timelineBefore, kind] = facts.find(SEEN)?.split(' ') ?? [];
    const isLossy = kind === 'asynchronous' && timelineBefore !== timeline;
    const from = lostFrom ?? (isLossy ? head : null);
    if (from === null && facts.find(SEEN) === seen) return null;
    sqlite.transaction(() => {
      facts.set(SEEN, seen);
      if (from === null) return;
      sqlite.exec('DELETE FROM approvals');
      createLostStateStore(sqlite).noteRestored({ from, to: now });
    })();
    return from;
  } finally {
    sqlite.close();
  }
}
