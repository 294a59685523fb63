import type { Entity } from '../../model/entity.js';
import type { Pin } from '../../model/undo.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, type RowOf } from '../statements.js';
import { pins } from './state-schema.js';

/** A pin with its record and the runs that led to it. */
export interface StoredPin extends Pin, Omit<RowOf<typeof pins>, 'sourceKey'> {
  readonly key: string;
}

const COLUMNS = 'entity, source_key AS key, path, value, mapping, undone, run, at';

/** Stores values that an operator has undone while the sources still ask for them. */
export function createPinStore(sqlite: Sqlite) {
  const { all, count, run, upsert } = createStatements(sqlite);
  const save = upsert(pins);
  const ofRecord = all<StoredPin>(
    `SELECT ${COLUMNS} FROM pins WHERE entity = $entity AND source_key = $key ORDER BY path`,
  );
  const firstRecords = all<Pick<StoredPin, 'entity' | 'key'>>(
    'SELECT DISTINCT entity, source_key AS key FROM pins ORDER BY entity, source_key LIMIT $limit',
  );
  const remove = run(
    'DELETE FROM pins WHERE entity = $entity AND source_key = $key AND ($path IS NULL OR path = $path)',
  );
  return {
    /** Stores pins. A pin replaces an earlier one of the same record and path, because the last undo decides. */
    pin(given: readonly StoredPin[]): void {
      for (const pin of given) save({ ...pin, sourceKey: pin.key });
    },
    all: all<StoredPin>(`SELECT ${COLUMNS} FROM pins ORDER BY entity, source_key, path`),
    ofRecord: (entity: Entity, key: string) => ofRecord({ entity, key }),
    /** The first records with pins, in order of name. */
    firstRecords: (limit: number) => firstRecords({ limit }),
    count: count('SELECT count(*) FROM pins'),
    /** Removes one pin, or all pins of a record if no path is given. Returns the number removed. */
    unpin: (entity: Entity, key: string, path?: string) => remove({ entity, key, path: path ?? null }),
  };
}
