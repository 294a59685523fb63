import type { Entity } from '../../model/entity.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';
import { PLACES_KEPT } from './staged-table.js';

/** Rows that enrich others, by their join key. */
export function createEnrichingStore(sqlite: Sqlite) {
  const { all, one, run, values } = createStatements(sqlite);
  const insert = run(
    `INSERT INTO enriching VALUES ($source, $joinKey, $body, $place)
     ON CONFLICT DO UPDATE SET body = NULL,
       place = CASE WHEN length(place) < ${PLACES_KEPT} THEN place || ' and ' || excluded.place ELSE place END`,
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
    stageEnriching: (source: string, joinKey: string, body: string, place: string) =>
      void insert({ source, joinKey, body, place }),
    /** Of a read that failed nothing is used. */
    dropEnriching: (source: string) => void drop({ source }),
    /** The body of the one row with that join key; null when there is none; 'ambiguous' when there are several. */
    enriching(source: string, joinKey: string): string | null | 'ambiguous' {
      const row = select({ source, joinKey });
      return row === null ? null : (row.body ?? 'ambiguous');
    },
    /** What of a record rests on rows that were not seen: `telephone`, `title.no`. */
    noteUnread: (entity: Entity, key: string, paths: readonly string[]) =>
      void noteUnread({ entity, key, paths: JSON.stringify(paths) }),
    unread: (entity: Entity, key: string) => unread({ entity, key }),
    /** Join keys that several rows of an enriching source share. */
    ambiguousJoins: (source: string) => ambiguous({ source }),
  };
}
