import type { Departure } from '../../model/departure.js';
import { foldKey } from '../../model/observed.js';
import { sha256 } from '../../model/sha256.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';

function digestWord(word: string): string {
  return sha256(foldKey(word), 'base64url');
}

/** Stores people whom talent-sync deactivated as leavers, including those whose accounts were later deleted. */
export function createDepartureStore(sqlite: Sqlite) {
  const { count, one, run, values } = createStatements(sqlite);
  const find = one<Departure>(
    `SELECT source_key AS key, service_id AS serviceId, run, at, stamp, deleted_at AS deletedAt
     FROM departures WHERE entity = 'users' AND source_key = $key`,
  );
  const remember = run(
    `INSERT OR REPLACE INTO departures (entity, source_key, service_id, run, at, stamp)
     VALUES ('users', $key, $serviceId, $run, $at, $stamp)`,
  );
  const forget = run("DELETE FROM departures WHERE entity = 'users' AND source_key = $key");
  const markDeleted = run(
    `INSERT INTO departures (entity, source_key, service_id, run, at, deleted_at, words)
     VALUES ('users', $key, $serviceId, $run, $at, $at, $words)
     ON CONFLICT DO UPDATE SET run = excluded.run, deleted_at = excluded.deleted_at, words = excluded.words`,
  );
  const countSince = count(
    `SELECT count(*) FROM departures d WHERE d.at >= $at AND NOT EXISTS (SELECT 1 FROM absences a
       WHERE a.entity = d.entity AND a.source_key = d.source_key AND a.kind IN ('absent', 'edited') AND a.first_at < $at)`,
  );
  const digests = values<string>(
    'SELECT DISTINCT w.value FROM departures d, json_each(d.words) w WHERE d.words IS NOT NULL',
  );
  return {
    find: (key: string) => find({ key }),
    /** Stores a departure. It replaces an earlier one of the same person, so the waiting time starts again. */
    remember: (departure: Omit<Departure, 'deletedAt'>) => void remember(departure),
    /** Forgets the departure of a person who has returned. */
    forget: (key: string) => void forget({ key }),
    /**
     * Marks an account as deleted. Records, such as course and staffing feeds, may name the person for years. So
     * digests of the words that name the person are kept.
     */
    markDeleted: (
      key: string,
      end: { readonly serviceId: string; readonly run: string; readonly at: string; readonly words: readonly string[] },
    ) => void markDeleted({ ...end, key, words: JSON.stringify(end.words.map(digestWord)) }),
    /** Number of people deactivated since `at` (ISO 8601) who have not returned and were not missing before. */
    countSince: (at: string) => countSince({ at }),
    /** The words that named anyone whose account was deleted. */
    deletedWords(): { has(word: string): boolean } {
      const deleted = new Set(digests());
      return { has: (word) => deleted.size > 0 && deleted.has(digestWord(word)) };
    },
  };
}
