import type { Entity } from '../../model/entity.js';
import type { Sqlite } from '../sqlite.js';
import { columnsOf, createStatements, type RowOf } from '../statements.js';
import { refusals } from './state-schema.js';

/** A change that the service rejected, with the latest rejection. Times are ISO 8601. */
export type RefusedChange = RowOf<typeof refusals>;

export function createRefusalStore(sqlite: Sqlite) {
  const { all, one, run, upsert } = createStatements(sqlite);
  const select = `SELECT ${columnsOf(refusals)} FROM refusals`;
  const find = one<RefusedChange>(`${select} WHERE entity = $entity AND key = $key`);
  const forget = run('DELETE FROM refusals WHERE entity = $entity AND key = $key');
  const paused = all<RefusedChange>(`${select} WHERE next_at > $now ORDER BY entity, key`);
  return {
    find: (entity: Entity, key: string) => find({ entity, key }),
    save: upsert(refusals),
    forget: (entity: Entity, key: string) => void forget({ entity, key }),
    all: all<RefusedChange>(`${select} ORDER BY entity, key`),
    /** Changes with a next attempt later than `now`. */
    pausedAt: (now: string) => paused({ now }),
  };
}
