import type { Entity } from '../../model/entity.js';
import type { Place } from '../../model/place.js';
import { createNamedValues } from '../named-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, type RowOf } from '../statements.js';
import { mappedRows } from './mirror-schema.js';

/** A row of a source, and what tells its content from any other's. */
export interface DigestedRow {
  readonly entity: Entity;
  readonly key: string;
  readonly digest: string;
  readonly place: Place;
}

/**
 * What mapping made of rows in earlier runs (docs/running.md, "Rows that did not change"). A staged row that is remembered
 * has its values here and not in the scratch, so that nothing of it is written again while its row stays the same.
 */
export type MappedRows = ReturnType<typeof createMappedRows>;

const CONTEXT = 'mapped';
const BELIEVED = 'mapped.believed';

const STAGE_AGAIN = `INSERT INTO staged_rows (entity, key, state, source, hash, place, remembered)
  SELECT entity, key, state, $source, hash, $place, 1 FROM mapped_rows
  WHERE entity = $entity AND key = $key AND digest = $digest ON CONFLICT DO NOTHING`;
const FORGET_UNSTAGED = `DELETE FROM mapped_rows WHERE entity = $entity AND NOT EXISTS (SELECT 1 FROM staged_rows s
  WHERE s.entity = mapped_rows.entity AND s.key = mapped_rows.key AND s.remembered = 1)`;

export function createMappedRows(sqlite: Sqlite) {
  const { atOnce, count, run, upsert } = createStatements(sqlite);
  const marks = createNamedValues(sqlite, 'marks');
  const empty = run('DELETE FROM mapped_rows');
  const countOf = count('SELECT count(*) FROM mapped_rows WHERE entity = $entity');
  const again = run(STAGE_AGAIN);
  const put = upsert(mappedRows);
  const forget = run(FORGET_UNSTAGED);
  /** Of each entity, how many staged rows rest on remembered ones. */
  const resting = new Map<Entity, number>();
  const reused = new Map<Entity, number>();
  let isEmpty = true;
  let isBelieved = false;
  return {
    /** Before a run stages anything: what was mapped under another context is forgotten. */
    mapUnder: atOnce((now: string) => {
      resting.clear();
      reused.clear();
      isBelieved = marks.find(BELIEVED) === 'yes';
      marks.set(BELIEVED, 'no');
      isEmpty = marks.find(CONTEXT) !== now;
      if (!isEmpty) return;
      empty();
      marks.set(CONTEXT, now);
    }),
    /** Stages a row as it was mapped before; false when it has to be mapped, or its key is staged already. */
    stageAgain({ entity, key, digest, place }: DigestedRow): boolean {
      if (isEmpty || again({ entity, key, digest, source: place.source, place: JSON.stringify(place) }) === 0)
        return false;
      addTo(resting, entity);
      addTo(reused, entity);
      return true;
    },
    /** Rows that this run has staged as the one before had mapped them; 0 unless that one believed all of its sources. */
    reusedRows: (entity: Entity) => (isBelieved ? (reused.get(entity) ?? 0) : 0),
    /** All that was staged is believed: no source failed, and none is held. */
    believe: () => marks.set(BELIEVED, 'yes'),
    /** After a row was staged as remembered: its values. */
    remember(row: RowOf<typeof mappedRows>): void {
      put(row);
      addTo(resting, row.entity);
    },
    /** Forgets what this run did not stage: the rows that a complete read has not brought, or that changed. */
    forgetUnstaged(entity: Entity): void {
      if (countOf({ entity }) > (resting.get(entity) ?? 0)) forget({ entity });
    },
  };
}

function addTo(counts: Map<Entity, number>, entity: Entity): void {
  counts.set(entity, (counts.get(entity) ?? 0) + 1);
}
