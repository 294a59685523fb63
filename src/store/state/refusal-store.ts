import type { Entity } from '../../model/entity.js';
import type { Sqlite } from '../sqlite.js';

/** A change that the service refused, as it was refused last. Times are ISO 8601. */
export interface RefusedChange {
  readonly entity: Entity;
  readonly key: string;
  /** The same change of the same values: another one starts anew. */
  readonly changeId: string;
  readonly times: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly nextAt: string;
  readonly message: string;
}

export interface RefusalStore {
  find(entity: Entity, key: string): RefusedChange | null;
  save(refusal: RefusedChange): void;
  forget(entity: Entity, key: string): void;
  all(): readonly RefusedChange[];
  /** Those that are not to be tried before a moment after `now`. */
  pausedAt(now: string): readonly RefusedChange[];
}

interface RefusalRow {
  entity: Entity;
  key: string;
  change_id: string;
  times: number;
  first_at: string;
  last_at: string;
  next_at: string;
  message: string;
}

function toRefusal(row: RefusalRow): RefusedChange {
  const { entity, key, times, message } = row;
  return {
    entity,
    key,
    times,
    message,
    changeId: row.change_id,
    firstAt: row.first_at,
    lastAt: row.last_at,
    nextAt: row.next_at,
  };
}

export function createRefusalStore(sqlite: Sqlite): RefusalStore {
  const find = sqlite.prepare<[string, string], RefusalRow>('SELECT * FROM refusals WHERE entity = ? AND key = ?');
  const save = sqlite.prepare('INSERT OR REPLACE INTO refusals VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const forget = sqlite.prepare('DELETE FROM refusals WHERE entity = ? AND key = ?');
  const all = sqlite.prepare<[], RefusalRow>('SELECT * FROM refusals ORDER BY entity, key');
  const paused = sqlite.prepare<[string], RefusalRow>('SELECT * FROM refusals WHERE next_at > ? ORDER BY entity, key');
  return {
    find(entity, key) {
      const row = find.get(entity, key);
      return row === undefined ? null : toRefusal(row);
    },
    save: (r) => void save.run(r.entity, r.key, r.changeId, r.times, r.firstAt, r.lastAt, r.nextAt, r.message),
    forget: (entity, key) => void forget.run(entity, key),
    all: () => all.all().map(toRefusal),
    pausedAt: (now) => paused.all(now).map(toRefusal),
  };
}
