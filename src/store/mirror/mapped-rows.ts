import type { Entity } from '../../model/entity.js';
import type { Place } from '../../model/place.js';
import type { Sqlite } from '../sqlite.js';

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
export interface MappedRows {
  /** Before a run stages anything: what was mapped under another context is forgotten. */
  mapUnder(context: string): void;
  /** Stages a row as it was mapped before; false when it has to be mapped, or its key is staged already. */
  stageAgain(row: DigestedRow): boolean;
  /** Rows that this run has staged as the one before had mapped them; 0 unless that one believed all of its sources. */
  reusedRows(entity: Entity): number;
  /** All that was staged is believed: no source failed, and none is held. */
  believe(): void;
  /** Forgets what this run did not stage: the rows that a complete read has not brought, or that changed. */
  forgetUnstaged(entity: Entity): void;
}

/** For the staging itself. */
export interface MappedRowsWriter extends MappedRows {
  /** After a row was staged as remembered: its values. */
  remember(row: { readonly [name in 'entity' | 'key' | 'digest' | 'state' | 'hash' | 'body']: string }): void;
}

export function createMappedRows(sqlite: Sqlite): MappedRowsWriter {
  const context = sqlite.prepare<[], string>("SELECT value FROM marks WHERE name = 'mapped'").pluck();
  const setContext = sqlite.prepare(
    "INSERT INTO marks VALUES ('mapped', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  const belief = sqlite.prepare<[], string>("SELECT value FROM marks WHERE name = 'mapped.believed'").pluck();
  const setBelief = sqlite.prepare(
    "INSERT INTO marks VALUES ('mapped.believed', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  const empty = sqlite.prepare('DELETE FROM mapped_rows');
  const count = sqlite.prepare<[string], number>('SELECT count(*) FROM mapped_rows WHERE entity = ?').pluck();
  const again = sqlite.prepare(
    `INSERT INTO staged_rows (entity, key, state, source, hash, place, remembered)
     SELECT entity, key, state, ?, hash, ?, 1 FROM mapped_rows WHERE entity = ? AND key = ? AND digest = ? ON CONFLICT DO NOTHING`,
  );
  const put = sqlite.prepare(
    `INSERT INTO mapped_rows (entity, key, digest, state, hash, body) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (entity, key) DO UPDATE SET digest = excluded.digest, state = excluded.state, hash = excluded.hash, body = excluded.body`,
  );
  const forget = sqlite.prepare(
    `DELETE FROM mapped_rows WHERE entity = ? AND NOT EXISTS (SELECT 1 FROM staged_rows s
       WHERE s.entity = mapped_rows.entity AND s.key = mapped_rows.key AND s.remembered = 1)`,
  );
  /** Of each entity, how many staged rows rest on remembered ones. */
  const resting = new Map<string, number>();
  const reused = new Map<string, number>();
  let isEmpty = true;
  let isBelieved = false;
  const rest = (entity: string): void => void resting.set(entity, (resting.get(entity) ?? 0) + 1);
  return {
    mapUnder: sqlite.transaction((now: string) => {
      resting.clear();
      reused.clear();
      isBelieved = belief.get() === 'yes';
      setBelief.run('no');
      isEmpty = context.get() !== now;
      if (!isEmpty) return;
      empty.run();
      setContext.run(now);
    }),
    stageAgain({ entity, key, digest, place }) {
      if (isEmpty || again.run(place.source, JSON.stringify(place), entity, key, digest).changes === 0) return false;
      rest(entity);
      reused.set(entity, (reused.get(entity) ?? 0) + 1);
      return true;
    },
    reusedRows: (entity) => (isBelieved ? (reused.get(entity) ?? 0) : 0),
    believe: () => void setBelief.run('yes'),
    remember({ entity, key, digest, state, hash, body }) {
      put.run(entity, key, digest, state, hash, body);
      rest(entity);
    },
    forgetUnstaged(entity) {
      if ((count.get(entity) ?? 0) > (resting.get(entity) ?? 0)) forget.run(entity);
    },
  };
}
