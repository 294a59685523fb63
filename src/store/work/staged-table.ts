import type { Desired } from '../../model/desired.js';
import type { Entity } from '../../model/entity.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';

/** Characters: of a wrong key column every row is a duplicate, and a text that grows with each would be written over and over. */
export const PLACES_KEPT = 2_000;

/** A row as it is in `staged_rows`. */
export interface StagedCells {
  readonly entity: Entity;
  readonly key: string;
  readonly source: string;
  readonly state: 'desired' | 'leaver' | 'early' | 'out' | 'held' | 'gone' | 'duplicate';
  readonly hash: string | null;
  readonly body: string | null;
  readonly place: string;
  readonly preference: Desired['preference'];
  readonly raw: string | null;
  readonly back: string | null;
  readonly backHash: string | null;
  readonly remembered: 0 | 1;
}

export type OtherRow = Pick<StagedCells, 'state' | 'source' | 'body' | 'place' | 'preference' | 'raw'>;

export const NO_CELLS = {
  hash: null,
  body: null,
  preference: null,
  raw: null,
  back: null,
  backHash: null,
  remembered: 0,
} as const;

/** Writing of `staged_rows`, one row at a time; those that change answer how many rows they changed. */
export type StagedTable = ReturnType<typeof createStagedTable>;

export function createStagedTable(sqlite: Sqlite) {
  const { one, run } = createStatements(sqlite);
  const ofKey = 'entity = $entity AND key = $key';
  return {
    insert: run(
      `INSERT INTO staged_rows (entity, key, source, state, hash, body, place, preference, raw, back, back_hash, remembered)
       VALUES ($entity, $key, $source, $state, $hash, $body, $place, $preference, $raw, $back, $backHash, $remembered)
       ON CONFLICT DO NOTHING`,
    ),
    find: one<OtherRow>(`SELECT state, source, body, place, preference, raw FROM staged WHERE ${ofKey}`),
    replace: run(
      `UPDATE staged_rows SET source = $source, state = $state, hash = $hash, body = $body, place = $place,
         preference = $preference, raw = $raw, back = $back, back_hash = $backHash, remembered = 0 WHERE ${ofKey}`,
    ),
    drop: run(`DELETE FROM staged_rows WHERE ${ofKey}`),
    /** One more place of a key that several rows have. */
    spoil: run(
      `UPDATE staged_rows SET state = 'duplicate',
         place = CASE WHEN length(place) < ${PLACES_KEPT} THEN place || ',' || $place ELSE place END WHERE ${ofKey}`,
    ),
  } satisfies Readonly<Record<string, (cells: StagedCells) => unknown>>;
}
