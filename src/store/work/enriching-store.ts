import type { Entity } from '../../model/entity.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';
import { PLACES_KEPT } from './staged-table.js';

export interface EnrichingRow {
  readonly body: string;
  readonly rank: number | string | null;
  readonly place: string;
}

/** Stores the rows of enriching sources by their join key. */
export function createEnrichingStore(sqlite: Sqlite) {
  const { all, one, run, values } = createStatements(sqlite);
  const insert = run(
    `INSERT INTO enriching VALUES ($source, $joinKey, $body, $rank, $place)
     ON CONFLICT DO UPDATE SET body = CASE WHEN rank < excluded.rank THEN excluded.body WHEN rank > excluded.rank THEN body END,
       place = CASE WHEN rank < excluded.rank THEN excluded.place
         WHEN rank > excluded.rank OR length(place) >= ${PLACES_KEPT} THEN place ELSE place || ' and ' || excluded.place END,
       rank = max(rank, excluded.rank)`,
  );
  const drop = run('DELETE FROM enriching WHERE source = $source');
  const select = one<{ body: string | null }>(
    'SELECT body FROM enriching WHERE source = $source AND join_key = $joinKey',
  );
  const ambiguous = all<{ key: string; place: string }>(
    'SELECT join_key AS key, place FROM enriching WHERE source = $source AND body IS NULL ORDER BY join_key',
  );
  const noteUnread = run(`INSERT OR IGNORE INTO unread SELECT $entity, $key, value FROM json_each($paths)`);
  const unread = values<string>('SELECT path FROM unread WHERE entity = $entity AND key = $key');

  return {
    /**
     * @param row.rank the row's rank among rows with the same join key, where the highest wins; null if rows have no
     * rank
     */
    stageEnriching: (source: string, joinKey: string, row: EnrichingRow) => void insert({ source, joinKey, ...row }),
    /** Drops the rows of a source that could not be read. */
    dropEnriching: (source: string) => void drop({ source }),
    /** The body of the only row with that join key; null if there is none, 'ambiguous' if there are several. */
    enriching(source: string, joinKey: string): string | null | 'ambiguous' {
      const row = select({ source, joinKey });
      return row === null ? null : (row.body ?? 'ambiguous');
    },
    /** Notes the fields of a record that depend on rows that were not read: `telephone`, `title.no`. */
    noteUnread: (entity: Entity, key: string, paths: readonly string[]) =>
      void noteUnread({ entity, key, paths: JSON.stringify(paths) }),
    unread: (entity: Entity, key: string) => unread({ entity, key }),
    /** Join keys with several rows in an enriching source. */
    ambiguousJoins: (source: string) => ambiguous({ source }),
  };
}
