import type { Sqlite } from '../sqlite.js';
import { createStatements, type RowOf } from '../statements.js';
import { declines } from './state-schema.js';

/** One value that a person has declined. */
export type StoredDecline = RowOf<typeof declines>;

/** The record and path that a decline applies to. */
export type DeclinePlace = Pick<StoredDecline, 'scope' | 'key' | 'path'>;

const COLUMNS =
  'id, scope, key, path, value, mapping, change_id AS changeId, action, guards, plan, who, reason, at, until';
const ORDER = 'ORDER BY id, scope, key, path';

/** Stores values that a person has declined while the sources still ask for them. */
export function createDeclineStore(sqlite: Sqlite) {
  const { all, any, run, upsert } = createStatements(sqlite);
  const save = upsert(declines);
  const inForce = all<StoredDecline>(`SELECT ${COLUMNS} FROM declines WHERE until IS NULL OR until > $now ${ORDER}`);
  const past = all<StoredDecline>(`SELECT ${COLUMNS} FROM declines WHERE until <= $now ${ORDER}`);
  const ofRecord = all<StoredDecline>(
    `SELECT ${COLUMNS} FROM declines WHERE scope = $scope AND key = $key AND (until IS NULL OR until > $now) ORDER BY path`,
  );
  const ofId = all<StoredDecline>(`SELECT ${COLUMNS} FROM declines WHERE id = $id ${ORDER}`);
  const remove = run('DELETE FROM declines WHERE scope = $scope AND key = $key AND path = $path');
  const isAny = any('SELECT 1 FROM declines LIMIT 1');
  return {
    /** Stores declines. A decline replaces an earlier one of the same value, because the last decision counts. */
    decline(given: readonly StoredDecline[]): void {
      for (const one of given) save(one);
    },
    /** @param now ISO 8601; expired declines are left out */
    inForce: (now: string) => (isAny() ? inForce({ now }) : []),
    /** Declines that have expired. */
    past: (now: string) => (isAny() ? past({ now }) : []),
    ofRecord: (scope: string, key: string, now: string) => ofRecord({ scope, key, now }),
    ofId: (id: string) => ofId({ id }),
    end(places: readonly DeclinePlace[]): void {
      for (const { scope, key, path } of places) remove({ scope, key, path });
    },
  };
}
