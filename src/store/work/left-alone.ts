import type { Entity } from '../../model/entity.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, eachRow } from '../statements.js';

export interface LeftRow {
  readonly entity: Entity;
  readonly key: string;
  /** The state in `staged_rows`; null if no source has a row with that key. */
  readonly state: string | null;
  /** The place as JSON. */
  readonly place: string | null;
}

export function createLeftAlone(sqlite: Sqlite) {
  const page = createStatements(sqlite).all<LeftRow>(
    `SELECT p.entity, p.key, s.state, s.place FROM pending p
     LEFT JOIN staged s ON s.entity = p.entity AND s.key = p.key
     WHERE (p.entity, p.key) > ($entity, $key)
       AND NOT EXISTS (SELECT 1 FROM planned c WHERE c.ref = p.entity || ':' || p.key)
       AND NOT EXISTS (SELECT 1 FROM held h WHERE h.entity = p.entity AND h.key = p.key)
     ORDER BY p.entity, p.key LIMIT 500`,
  );
  return {
    /** Records that were examined but have neither a planned change nor a hold. */
    leftAlone: (): Iterable<LeftRow> =>
      eachRow<LeftRow, { entity: string; key: string }>(page, { entity: '', key: '' }),
  };
}
