import type { Departure } from '../../model/departure.js';
import { foldKey } from '../../model/observed.js';
import { sha256 } from '../../model/sha256.js';
import type { Sqlite } from '../sqlite.js';

/** Who was deactivated by talent-sync as a leaver, and who was deleted for good since. */
export interface DepartureStore {
  find(key: string): Departure | null;
  /** A later departure of the same person takes the place of an earlier one: the time counts anew. */
  remember(departure: Omit<Departure, 'deletedAt'>): void;
  /** The person is back. */
  forget(key: string): void;
  /**
   * The account is deleted. What remains are digests of the words that records may go on naming the person by: feeds of
   * courses and staffing do so for years.
   */
  markDeleted(
    key: string,
    end: { readonly serviceId: string; readonly run: string; readonly at: string; readonly words: readonly string[] },
  ): void;
  /** The words of everybody who has been deleted until now. */
  deletedWords(): { has(word: string): boolean };
}

const ENTITY = 'users';

function digestWord(word: string): string {
  return sha256(foldKey(word), 'base64url');
}

export function createDepartureStore(sqlite: Sqlite): DepartureStore {
  const find = sqlite.prepare<[string, string], Departure>(
    `SELECT source_key AS key, service_id AS serviceId, run, at, stamp, deleted_at AS deletedAt
     FROM departures WHERE entity = ? AND source_key = ?`,
  );
  const remember = sqlite.prepare(
    `INSERT OR REPLACE INTO departures (entity, source_key, service_id, run, at, stamp) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const forget = sqlite.prepare('DELETE FROM departures WHERE entity = ? AND source_key = ?');
  const markDeleted = sqlite.prepare(
    `INSERT INTO departures (entity, source_key, service_id, run, at, deleted_at, words) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET run = excluded.run, deleted_at = excluded.deleted_at, words = excluded.words`,
  );
  const words = sqlite
    .prepare<[], string>('SELECT DISTINCT w.value FROM departures d, json_each(d.words) w WHERE d.words IS NOT NULL')
    .pluck();
  return {
    find: (key) => find.get(ENTITY, key) ?? null,
    remember: ({ key, serviceId, run, at, stamp }) => void remember.run(ENTITY, key, serviceId, run, at, stamp),
    forget: (key) => void forget.run(ENTITY, key),
    markDeleted: (key, { serviceId, run, at, words: named }) =>
      void markDeleted.run(ENTITY, key, serviceId, run, at, at, JSON.stringify(named.map(digestWord))),
    deletedWords() {
      const digests = new Set(words.all());
      return { has: (word) => digests.size > 0 && digests.has(digestWord(word)) };
    },
  };
}
