import type { Sqlite } from '../sqlite.js';
import { PLACES_KEPT } from './staging-store.js';

/** Rows that enrich others, by their join key. */
export interface EnrichingStore {
  stageEnriching(source: string, joinKey: string, body: string, place: string): void;
  /** Of a read that failed nothing is used. */
  dropEnriching(source: string): void;
  /** The body of the one row with that join key; null when there is none; 'ambiguous' when there are several. */
  enriching(source: string, joinKey: string): string | null | 'ambiguous';
  /** Join keys that several rows of an enriching source share. */
  ambiguousJoins(source: string): readonly { readonly key: string; readonly place: string }[];
}

export function createEnrichingStore(sqlite: Sqlite): EnrichingStore {
  const insertEnriching = sqlite.prepare(
    `INSERT INTO enriching VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET body = NULL,
       place = CASE WHEN length(place) < ${PLACES_KEPT} THEN place || ' and ' || excluded.place ELSE place END`,
  );
  const dropEnriching = sqlite.prepare('DELETE FROM enriching WHERE source = ?');
  const selectEnriching = sqlite.prepare<[string, string], { body: string | null }>(
    'SELECT body FROM enriching WHERE source = ? AND join_key = ?',
  );
  const ambiguous = sqlite.prepare<[string], { key: string; place: string }>(
    'SELECT join_key AS key, place FROM enriching WHERE source = ? AND body IS NULL ORDER BY join_key',
  );

  return {
    stageEnriching: (source, joinKey, body, place) => void insertEnriching.run(source, joinKey, body, place),
    dropEnriching: (source) => void dropEnriching.run(source),
    enriching(source, joinKey) {
      const row = selectEnriching.get(source, joinKey);
      return row === undefined ? null : (row.body ?? 'ambiguous');
    },
    ambiguousJoins: (source) => ambiguous.all(source),
  };
}
