import type { Entity } from '../../model/entity.js';
import type { Pin } from '../../model/undo.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, type RowOf } from '../statements.js';
import { pins } from './state-schema.js';

/** A pin with its record, and where it comes from. */
export interface StoredPin extends Pin, Omit<RowOf<typeof pins>, 'sourceKey'> {
  readonly key: string;
}

/** What an operator has taken back and the sources still want. */
export interface PinStore {
  /** A pin of the same record and path is replaced: the last undo decides. */
  pin(pins: readonly StoredPin[]): void;
  all(): readonly StoredPin[];
  ofRecord(entity: Entity, key: string): readonly StoredPin[];
  count(): number;
  /** Without a path, all pins of the record; answers how many there were. */
  unpin(entity: Entity, key: string, path?: string): number;
}

const COLUMNS = 'entity, source_key AS key, path, value, mapping, undone, run, at';

export function createPinStore(sqlite: Sqlite): PinStore {
  const { all, run, upsert, value } = createStatements(sqlite);
  const save = upsert(pins);
  const every = all<StoredPin>(`SELECT ${COLUMNS} FROM pins ORDER BY entity, source_key, path`);
  const ofRecord = all<StoredPin>(
    `SELECT ${COLUMNS} FROM pins WHERE entity = $entity AND source_key = $key ORDER BY path`,
  );
  const count = value<number>('SELECT count(*) FROM pins');
  const remove = run(
    'DELETE FROM pins WHERE entity = $entity AND source_key = $key AND ($path IS NULL OR path = $path)',
  );
  return {
    pin(given) {
      for (const pin of given) save({ ...pin, sourceKey: pin.key });
    },
    all: every,
    ofRecord: (entity, key) => ofRecord({ entity, key }),
    count: () => count() ?? 0,
    unpin: (entity, key, path) => remove({ entity, key, path: path ?? null }),
  };
}
