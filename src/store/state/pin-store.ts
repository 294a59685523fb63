import type { Entity } from '../../model/entity.js';
import type { Pin } from '../../model/undo.js';
import type { Sqlite } from '../sqlite.js';

/** A pin with its record, and where it comes from. */
export interface StoredPin extends Pin {
  readonly entity: Entity;
  readonly key: string;
  /** The run that was undone. */
  readonly undone: string;
  /** The run that undid it. */
  readonly run: string;
  readonly at: string;
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
  const insert = sqlite.prepare(
    `INSERT OR REPLACE INTO pins (entity, source_key, path, value, mapping, undone, run, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const all = sqlite.prepare<[], StoredPin>(`SELECT ${COLUMNS} FROM pins ORDER BY entity, source_key, path`);
  const ofRecord = sqlite.prepare<[string, string], StoredPin>(
    `SELECT ${COLUMNS} FROM pins WHERE entity = ? AND source_key = ? ORDER BY path`,
  );
  const count = sqlite.prepare<[], number>('SELECT count(*) FROM pins').pluck();
  const remove = sqlite.prepare('DELETE FROM pins WHERE entity = ? AND source_key = ? AND (? IS NULL OR path = ?)');
  return {
    pin(pins) {
      for (const p of pins) insert.run(p.entity, p.key, p.path, p.value, p.mapping, p.undone, p.run, p.at);
    },
    all: () => all.all(),
    ofRecord: (entity, key) => ofRecord.all(entity, key),
    count: () => count.get() ?? 0,
    unpin: (entity, key, path) => remove.run(entity, key, path ?? null, path ?? null).changes,
  };
}
