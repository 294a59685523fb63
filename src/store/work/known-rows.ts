import type { Entity } from '../../model/entity.js';
import type { Place } from '../../model/place.js';
import { markTerm, type Term } from '../../model/term.js';
import { createNamedValues } from '../named-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, once } from '../statements.js';
import { DigestIndex } from './digest-index.js';
import { SeenRows } from './seen-rows.js';
import { StagedPlaces } from './staged-places.js';

/** All on which it rests what mapping makes of a content. */
export interface MappedUnder {
  readonly context: string;
  /** ISO 8601, where it holds from a day on; else empty. */
  readonly since: string;
  /** ISO 8601: what was made by the day stands for this one alone. */
  readonly day: string;
  /** Everything is mapped again, and what stood is compared with it. */
  readonly isChecked: boolean;
}

/** A row that need not be mapped again. */
export interface AgainRow {
  readonly row: number;
  readonly term: Term;
}

/**
 * What is known of the staged rows in this run: which of them it has seen, where, and which contents need not be mapped again.
 * What the last run had staged and this one has not seen is not there (`shown`), and goes once its stream was read.
 */
export type SeenStaging = Omit<ReturnType<typeof createSeenStaging>, 'forgetSeen'>;

interface RunOfRows {
  readonly seen: SeenRows;
  readonly places: StagedPlaces;
  /** Of each entity, how many rows were seen, and how many of these were as the last run had left them. */
  readonly counts: Map<Entity, { seen: number; again: number }>;
  /** Made when they are first asked. */
  readonly indexes: Map<Entity, () => DigestIndex>;
  /** Which terms have not passed, and on which day that is. */
  readonly terms: Map<Entity, { readonly terms: readonly Term[]; readonly day: string }>;
  readonly shown: Set<string>;
  readonly conflicts: Set<Entity>;
  /** Entities of which everything is mapped again, and how many rows were not what stood there. */
  readonly checked: Set<Entity>;
  readonly drifted: Map<Entity, number>;
  isBelieved: boolean;
}

export function createSeenStaging(sqlite: Sqlite, isOwn: boolean) {
  const known: RunOfRows = {
    seen: new SeenRows(),
    places: new StagedPlaces(sqlite, isOwn),
    counts: new Map(),
    indexes: new Map(),
    terms: new Map(),
    shown: new Set(),
    conflicts: new Set(),
    checked: new Set(),
    drifted: new Map(),
    isBelieved: false,
  };
  sqlite.function('place_of', (row, source) => JSON.stringify(known.places.get(Number(row), String(source))));
  const showing = createShowing(sqlite, known);
  const see = (entity: Entity, row: number, place: Place): { seen: number; again: number } => {
    const counts = known.counts.get(entity) ?? { seen: 0, again: 0 };
    known.counts.set(entity, counts);
    if (!known.seen.has(row)) counts.seen += 1;
    known.seen.add(row);
    known.places.set(row, place);
    showing.show(entity, place.source);
    return counts;
  };
  const seeAgain = (entity: Entity, row: number, place: Place): void => {
    see(entity, row, place).again += 1;
  };
  /** A row of that content that this run has not seen. */
  const findAgain = (entity: Entity, digest: string): AgainRow | null => {
    const index = known.indexes.get(entity)?.();
    const lasting = known.terms.get(entity);
    if (index === undefined || lasting === undefined) return null;
    for (const term of lasting.terms) {
      const row = index.find(markTerm(digest, term, lasting.day));
      if (row !== null) return known.seen.has(row) ? null : { row, term };
    }
    return null;
  };
  return {
    ...createContexts(sqlite, known),
    ...createForgetting(sqlite, known, showing),
    see: (entity: Entity, row: number, place: Place) => void see(entity, row, place),
    isSeen: (row: number) => known.seen.has(row),
    placeOf: (row: number, source: string) => known.places.get(row, source),
    hide: showing.hide,
    /** Rows of the entity shared a key: how they were chosen among is not seen from what stands. */
    noteConflict: (entity: Entity) => void known.conflicts.add(entity),
    hasConflict: (entity: Entity) => known.conflicts.has(entity),
    /** The same content was mapped to something else before. */
    noteDrift(entity: Entity): void {
      if (known.checked.has(entity)) known.drifted.set(entity, (known.drifted.get(entity) ?? 0) + 1);
    },
    /** Rows that would have been another, had they been mapped again. */
    driftedRows: (entity: Entity) => known.drifted.get(entity) ?? 0,
    /** Whether the entity's rows were staged under the same context before. */
    isIndexed: (entity: Entity) => known.indexes.has(entity),
    findAgain,
    /** The same for a reader, which gives its rows later: each is found once. */
    rowsOnce(entity: Entity): (digest: string) => AgainRow | null {
      const given = new SeenRows();
      return (digest) => {
        const found = findAgain(entity, digest);
        if (found === null || given.has(found.row)) return null;
        given.add(found.row);
        return found;
      };
    },
    /** The row is as the last run has left it. */
    seeAgain,
    ...createContents(sqlite, known, seeAgain),
    /** Rows that this run has found as the one before had left them; 0 unless that one believed all of its sources. */
    reusedRows: (entity: Entity) => (known.isBelieved ? (known.counts.get(entity)?.again ?? 0) : 0),
    /** Before a run reads anything. */
    forgetSeen(): void {
      known.seen.clear();
      for (const part of [
        known.counts,
        known.indexes,
        known.shown,
        known.conflicts,
        known.checked,
        known.drifted,
        known.terms,
      ])
        part.clear();
    },
  };
}

type Showing = ReturnType<typeof createShowing>;

function createShowing(sqlite: Sqlite, { shown }: RunOfRows) {
  const { run } = createStatements(sqlite);
  const show = run('INSERT OR IGNORE INTO shown VALUES ($entity, $source)');
  const hide = run(`DELETE FROM shown WHERE entity = $entity AND source NOT IN (SELECT value FROM json_each($but))`);
  return {
    show(entity: Entity, source: string): void {
      const name = `${entity} ${source}`;
      if (shown.has(name)) return;
      shown.add(name);
      show({ entity, source });
    },
    /** The rows of an entity are not there, but for those of some streams. */
    hide: (entity: Entity, but: readonly string[] = []) => void hide({ entity, but: JSON.stringify(but) }),
  };
}

const BELIEVED = 'staged.believed';
const markOf = (entity: Entity): string => `staged ${entity}`;

/** What mapping makes of a content stands for as long as all on which it rests besides: the context. */
function createContexts(sqlite: Sqlite, known: RunOfRows) {
  const { count, each } = createStatements(sqlite);
  const marks = createNamedValues(sqlite, 'marks');
  const DIGESTED = 'FROM staged_rows WHERE entity = $entity AND digest IS NOT NULL';
  const countOf = count(`SELECT count(*) ${DIGESTED}`);
  const digests = each<{ row: number; digest: string }>(`SELECT row, digest ${DIGESTED}`);

  function buildIndex(entity: Entity): DigestIndex {
    const index = new DigestIndex(countOf({ entity }));
    for (const { row, digest } of digests({ entity })) index.add(digest, row);
    return index;
  }

  return {
    /** Before anything is staged that is to be remembered. */
    beginRemembering(): void {
      known.isBelieved = marks.find(BELIEVED) === 'yes';
      marks.set(BELIEVED, 'no');
    },
    /** All that was staged is believed: no source failed, and none is held. */
    believe: () => marks.set(BELIEVED, 'yes'),
    /**
     * Before the rows of an entity are staged. What was mapped under another context, or since a later day, tells nothing.
     */
    mapUnder(entity: Entity, { context, since, day, isChecked }: MappedUnder): void {
      const [before, then = '', on] = (marks.find(markOf(entity)) ?? '').split('\n');
      const stands = before === context && then <= since;
      // Until all rows were mapped under a context, some are of another; so with a day.
      if (!stands) marks.forget(markOf(entity));
      else if (on !== day) marks.set(markOf(entity), [context, then, ''].join('\n'));
      if (!stands) return;
      known.terms.set(entity, { terms: on === day ? ['always', 'month', 'day'] : ['always', 'month'], day });
      if (isChecked) known.checked.add(entity);
      else
        known.indexes.set(
          entity,
          once(() => buildIndex(entity)),
        );
    },
    /** Every row of the entity was mapped under that context. */
    rememberContext: (entity: Entity, { context, since, day }: MappedUnder) =>
      marks.set(markOf(entity), [context, since, day].join('\n')),
  };
}

/** Contents that were staged whole; a write to any staged row forgets them all (a trigger). */
function createContents(
  sqlite: Sqlite,
  { places }: RunOfRows,
  seeAgain: (entity: Entity, row: number, place: Place) => void,
) {
  const { one, run, values } = createStatements(sqlite);
  const find = one<{ digest: string; body: string }>('SELECT digest, body FROM staged_contents WHERE source = $source');
  const keep = run('INSERT OR REPLACE INTO staged_contents (source, digest, body) VALUES ($source, $digest, $body)');
  const DIGESTED = 'SELECT row FROM staged_rows WHERE entity = $entity AND digest IS NOT NULL';
  const standing = values<number>(`${DIGESTED} AND source = $source`);
  // Where all of them are of one stream an index answers, and no row is read.
  const standingOfAll = values<number>(DIGESTED);
  let rows: readonly number[] = [];
  let from = '';
  return {
    keptContent: (source: string) => find({ source }),
    keepContent: (source: string, digest: string, body: string) => void keep({ source, digest, body }),
    /**
     * How many rows of a stream stand.
     *
     * @param isOnly the entity has no other stream
     */
    standingRows(entity: Entity, source: string, isOnly: boolean): number {
      [rows, from] = [isOnly ? standingOfAll({ entity }) : standing({ entity, source }), source];
      return rows.length;
    },
    /** Those that were counted last are there as they are, in the file of that name. */
    seeStanding(entity: Entity, at: string): void {
      for (const row of rows) seeAgain(entity, row, { ...places.get(row, from), at });
      rows = [];
    },
  };
}

/** What this run did not see is not there any more. */
function createForgetting(sqlite: Sqlite, { seen, counts, places }: RunOfRows, { hide, show }: Showing) {
  const { atOnce, count, each, run } = createStatements(sqlite);
  const countOf = count('SELECT count(*) FROM staged_rows WHERE entity = $entity');
  const rows = each<{ row: number; source: string }>('SELECT row, source FROM staged_rows WHERE entity = $entity');
  const drop = run('DELETE FROM staged_rows WHERE row = $row');
  return {
    /**
     * After the rows of an entity were staged: those of streams that were `read` are there as far as they were seen. Those of
     * streams that failed are not there, and are kept for the next run.
     */
    forgetUnseen: atOnce((entity: Entity, read: readonly string[], failed: readonly string[]) => {
      for (const source of read) show(entity, source);
      hide(entity, read);
      if (countOf({ entity }) === (counts.get(entity)?.seen ?? 0)) return;
      const unseen: number[] = [];
      for (const { row, source } of rows({ entity })) if (!seen.has(row) && !failed.includes(source)) unseen.push(row);
      for (const row of unseen) drop({ row });
    }),
    /** Where the rows are, for the next run. */
    keepPlaces: () => places.save(),
  };
}
