import type { Entity } from '../../model/entity.js';
import type { Place } from '../../model/place.js';
import { createNamedValues } from '../named-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, eachRow, once } from '../statements.js';
import { DigestIndex } from './digest-index.js';
import { SeenRows } from './seen-rows.js';
import { StagedPlaces } from './staged-places.js';

/** All on which it rests what mapping makes of a content. */
export interface MappedUnder {
  readonly context: string;
  /** Number of the day by which things are mapped; null where none of them goes by it. */
  readonly day: number | null;
  /** Everything is mapped again, and what stood is compared with it. */
  readonly isChecked: boolean;
}

/**
 * What is known of the staged rows in this run: which of them it has seen, where, and which contents need not be mapped again.
 * What the last run had staged and this one has not seen is not there (`shown`), and goes once its stream was read.
 */
export type SeenStaging = Omit<ReturnType<typeof createSeenStaging>, 'forgetSeen'>;

interface RunOfRows {
  readonly seen: SeenRows;
  readonly places: StagedPlaces;
  /** Of each entity, how many rows were seen. */
  readonly counts: Map<Entity, number>;
  /** Made when they are first asked. */
  readonly indexes: Map<Entity, () => DigestIndex>;
  /** The day by which each entity is mapped. */
  readonly days: Map<Entity, number>;
  /** By entity. */
  readonly shown: Map<Entity, Set<string>>;
  /** The stream that all staged rows of an entity are of, where it has been read to its end and there is no other. */
  readonly only: Map<Entity, string>;
  readonly conflicts: Set<Entity>;
  /** Entities of which everything is mapped again, and how many rows were not what stood there. */
  readonly checked: Set<Entity>;
  readonly drifted: Map<Entity, number>;
}

export function createSeenStaging(sqlite: Sqlite, isOwn: boolean) {
  const known: RunOfRows = {
    seen: new SeenRows(),
    places: new StagedPlaces(sqlite, isOwn),
    counts: new Map(),
    indexes: new Map(),
    days: new Map(),
    shown: new Map(),
    only: new Map(),
    conflicts: new Set(),
    checked: new Set(),
    drifted: new Map(),
  };
  sqlite.function('place_of', (row, source) => JSON.stringify(known.places.get(Number(row), String(source))));
  const showing = createShowing(sqlite, known);
  /** The row is here: as the last run has left it, or as this one has written it. */
  const see = (entity: Entity, row: number, place: Place): void => {
    if (!known.seen.has(row)) known.counts.set(entity, (known.counts.get(entity) ?? 0) + 1);
    known.seen.add(row);
    known.places.set(row, place);
    showing.show(entity, place.source);
  };
  /** A row of that content that this run has not seen. */
  const findAgain = (entity: Entity, digest: string): number | null => {
    const row = known.indexes.get(entity)?.().find(digest) ?? null;
    return row === null || known.seen.has(row) ? null : row;
  };
  return {
    ...createContexts(sqlite, known),
    ...createForgetting(sqlite, known, showing),
    see,
    isSeen: (row: number) => known.seen.has(row),
    placeOf: (row: number, source: string) => known.places.get(row, source),
    hide: showing.hide,
    /** All staged rows of the entity are of that stream. */
    isAllOf: (entity: Entity, source: string): boolean => known.only.get(entity) === source,
    /** Rows of the entity shared a key: how they were chosen among is not seen from what stands. */
    noteConflict: (entity: Entity) => void known.conflicts.add(entity),
    hasConflict: (entity: Entity) => known.conflicts.has(entity),
    /** The same content was mapped to something else before, which stood until the day of that number. */
    noteDrift(entity: Entity, until: number | null): void {
      const isPast = until !== null && until < dayOf(known, entity);
      if (known.checked.has(entity) && !isPast) known.drifted.set(entity, (known.drifted.get(entity) ?? 0) + 1);
    },
    /** Rows that would have been another, had they been mapped again. */
    driftedRows: (entity: Entity) => known.drifted.get(entity) ?? 0,
    /** Whether the entity's rows were staged under the same context before. */
    isIndexed: (entity: Entity) => known.indexes.has(entity),
    findAgain,
    /** The same for a reader, which gives its rows later: each is found once. */
    rowsOnce(entity: Entity): (digest: string) => number | null {
      const given = new SeenRows();
      return (digest) => {
        const row = findAgain(entity, digest);
        if (row === null || given.has(row)) return null;
        given.add(row);
        return row;
      };
    },
    ...createContents(sqlite, known, see),
    /** Before a run reads anything. */
    forgetSeen(): void {
      known.seen.clear();
      for (const part of [
        known.counts,
        known.indexes,
        known.shown,
        known.only,
        known.conflicts,
        known.checked,
        known.drifted,
        known.days,
      ])
        part.clear();
    },
  };
}

type Showing = ReturnType<typeof createShowing>;

function createShowing(sqlite: Sqlite, { shown, only }: RunOfRows) {
  const { run } = createStatements(sqlite);
  const show = run('INSERT OR IGNORE INTO shown VALUES ($entity, $source)');
  const hide = run(`DELETE FROM shown WHERE entity = $entity AND source NOT IN (SELECT value FROM json_each($but))`);
  return {
    show(entity: Entity, source: string): void {
      const sources = shown.get(entity) ?? new Set();
      if (sources.has(source)) return;
      shown.set(entity, sources.add(source));
      show({ entity, source });
    },
    /** The rows of an entity are not there, but for those of some streams. */
    hide(entity: Entity, but: readonly string[] = []): void {
      only.delete(entity);
      hide({ entity, but: JSON.stringify(but) });
    },
  };
}

/** Where nothing goes by the day, nothing has a last one. */
function dayOf({ days }: RunOfRows, entity: Entity): number {
  return days.get(entity) ?? 0;
}

/** Rows that need not be mapped again. */
const STANDING = 'FROM staged_rows WHERE entity = $entity AND digest IS NOT NULL AND (until IS NULL OR until >= $day)';

const markOf = (entity: Entity): string => `staged ${entity}`;

/** What mapping makes of a content stands for as long as all on which it rests besides: the context. */
function createContexts(sqlite: Sqlite, known: RunOfRows) {
  const { all, count } = createStatements(sqlite);
  const marks = createNamedValues(sqlite, 'marks');
  const countOf = count(`SELECT count(*) ${STANDING}`);
  // Thousands of rows as one text take half the time.
  const digests = all<{ last: number; rows: string; digests: string }>(
    `SELECT max(row) AS last, json_group_array(row) AS rows, json_group_array(digest) AS digests
     FROM (SELECT row, digest ${STANDING} AND row > $last ORDER BY row LIMIT 5000) HAVING count(*) > 0`,
  );

  function buildIndex(entity: Entity): DigestIndex {
    const asked = { entity, day: dayOf(known, entity) };
    const index = new DigestIndex(countOf(asked));
    for (const page of eachRow(({ last }) => digests({ ...asked, last }), { last: 0 })) {
      const rows = JSON.parse(page.rows) as readonly number[];
      for (const [at, digest] of (JSON.parse(page.digests) as readonly string[]).entries())
        index.add(digest, rows[at] ?? 0);
    }
    return index;
  }

  function rememberContext(entity: Entity, { context, day }: MappedUnder): void {
    marks.set(markOf(entity), day === null ? context : `${context}\n${day}`);
  }

  return {
    /**
     * Before the rows of an entity are staged. What was mapped under another context, or on a later day (before a clock was
     * set back, or `--as-of`), tells nothing.
     */
    mapUnder(entity: Entity, under: MappedUnder): void {
      const { context, day, isChecked } = under;
      const [before, on = ''] = (marks.find(markOf(entity)) ?? '').split('\n');
      const stands = before === context && Number(on) <= (day ?? 0);
      // Until all rows were mapped under a context, some are of another. From here on some are of this day.
      if (stands) rememberContext(entity, under);
      else marks.forget(markOf(entity));
      if (!stands) return;
      if (day !== null) known.days.set(entity, day);
      if (isChecked) known.checked.add(entity);
      else
        known.indexes.set(
          entity,
          once(() => buildIndex(entity)),
        );
    },
    /** Every row of the entity was mapped under that context. */
    rememberContext,
  };
}

/** Contents that were staged whole; a write to any staged row forgets them all (a trigger). */
function createContents(sqlite: Sqlite, known: RunOfRows, see: (entity: Entity, row: number, place: Place) => void) {
  const { count, one, run, value } = createStatements(sqlite);
  const find = one<{ digest: string; body: string }>('SELECT digest, body FROM staged_contents WHERE source = $source');
  const keep = run('INSERT OR REPLACE INTO staged_contents (source, digest, body) VALUES ($source, $digest, $body)');
  // Where all of them are of one stream an index answers, and no row is read.
  const asking = (rows: string) => ({
    count: count(`SELECT count(*) ${rows}`),
    rows: value<string>(`SELECT json_group_array(row) ${rows}`),
  });
  const [all, some] = [asking(STANDING), asking(`${STANDING} AND source = $source`)];
  return {
    keptContent: (source: string) => find({ source }),
    keepContent: (source: string, digest: string, body: string) => void keep({ source, digest, body }),
    /**
     * How many rows of a stream stand.
     *
     * @param isOnly the entity has no other stream
     */
    countStanding: (entity: Entity, source: string, isOnly: boolean): number =>
      (isOnly ? all : some).count({ entity, source, day: dayOf(known, entity) }),
    /** They are there as they are, in the file of that name. */
    seeStanding(entity: Entity, { source, at }: Place, isOnly: boolean): void {
      const rows = (isOnly ? all : some).rows({ entity, source, day: dayOf(known, entity) }) ?? '[]';
      for (const row of JSON.parse(rows) as readonly number[])
        see(entity, row, { ...known.places.get(row, source), at });
    },
  };
}

/** What this run did not see is not there any more. */
function createForgetting(sqlite: Sqlite, { seen, counts, places, only }: RunOfRows, { hide, show }: Showing) {
  const { atOnce, count, each, run } = createStatements(sqlite);
  const countOf = count('SELECT count(*) FROM staged_rows WHERE entity = $entity');
  const rows = each<{ row: number; source: string }>('SELECT row, source FROM staged_rows WHERE entity = $entity');
  const drop = run('DELETE FROM staged_rows WHERE row = $row');
  const noteOnly = (entity: Entity, [source, ...others]: readonly string[]): void => {
    if (source !== undefined && others.length === 0) only.set(entity, source);
  };
  return {
    /**
     * After the rows of an entity were staged: those of streams that were `read` are there as far as they were seen. Those of
     * streams that failed are not there, and are kept for the next run.
     */
    forgetUnseen: atOnce((entity: Entity, read: readonly string[], failed: readonly string[]) => {
      for (const source of read) show(entity, source);
      hide(entity, read);
      if (failed.length === 0) noteOnly(entity, read);
      if (countOf({ entity }) === (counts.get(entity) ?? 0)) return;
      const unseen: number[] = [];
      for (const { row, source } of rows({ entity })) if (!seen.has(row) && !failed.includes(source)) unseen.push(row);
      for (const row of unseen) drop({ row });
    }),
    /** Where the rows are, for the next run. */
    keepPlaces: () => places.save(),
  };
}
