import type { Entity } from '../../model/entity.js';
import type { Place } from '../../model/place.js';
import { createNamedValues } from '../named-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, eachRow, once } from '../statements.js';
import { DigestIndex } from './digest-index.js';
import { SeenRows } from './seen-rows.js';
import { StagedPlaces } from './staged-places.js';

/** Everything that affects the result of mapping content. */
export interface MappedUnder {
  readonly context: string;
  /** The day that the mapping uses, as a number; null if the mapping does not depend on the day. */
  readonly day: number | null;
  /** True if all content is mapped again and compared with the stored results. */
  readonly isChecked: boolean;
}

/**
 * Tracks this run's staged rows: the rows it has seen, their places, and content that need not be mapped. Rows of the
 * last run that were not seen are hidden (`shown`). They are deleted once their stream has been read.
 */
export type SeenStaging = Omit<ReturnType<typeof createSeenStaging>, 'forgetSeen'>;

interface RunOfRows {
  readonly seen: SeenRows;
  readonly places: StagedPlaces;
  /** Number of rows seen per entity. */
  readonly counts: Map<Entity, number>;
  /** Built on first use. */
  readonly indexes: Map<Entity, () => DigestIndex>;
  /** The day that the mapping uses, per entity. */
  readonly days: Map<Entity, number>;
  /** Streams whose rows are shown, per entity. */
  readonly shown: Map<Entity, Set<string>>;
  /** The stream of all staged rows of an entity, if there is only one and it was read to its end. */
  readonly only: Map<Entity, string>;
  readonly conflicts: Set<Entity>;
  /** Entities that are mapped completely again. `drifted` counts their rows that differ from the stored results. */
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
  /** Marks a row as seen, either unchanged since the last run or written by this run. */
  const see = (entity: Entity, row: number, place: Place): void => {
    if (!known.seen.has(row)) known.counts.set(entity, (known.counts.get(entity) ?? 0) + 1);
    known.seen.add(row);
    known.places.set(row, place);
    showing.show(entity, place.source);
  };
  /** Finds a row with this content that this run has not seen yet. */
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
    /** True if all staged rows of the entity come from this stream. */
    isAllOf: (entity: Entity, source: string): boolean => known.only.get(entity) === source,
    /** Notes that several rows of the entity shared a key, because the stored rows do not show how one was chosen. */
    noteConflict: (entity: Entity) => void known.conflicts.add(entity),
    hasConflict: (entity: Entity) => known.conflicts.has(entity),
    /** Notes that the same content had another mapping result before, valid until the given day. */
    noteDrift(entity: Entity, until: number | null): void {
      const isPast = until !== null && until < dayOf(known, entity);
      if (known.checked.has(entity) && !isPast) known.drifted.set(entity, (known.drifted.get(entity) ?? 0) + 1);
    },
    /** Number of rows with a stored result that differs from mapping them again. */
    driftedRows: (entity: Entity) => known.drifted.get(entity) ?? 0,
    /** True if the entity's rows were already staged in the same context. */
    isIndexed: (entity: Entity) => known.indexes.has(entity),
    findAgain,
    /** Like `findAgain`, for a reader that stages its rows later. Each row is found only once. */
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
    /** Call it before a run reads any source. */
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
    /** Hides the rows of an entity, except those of the given streams. */
    hide(entity: Entity, but: readonly string[] = []): void {
      only.delete(entity);
      hide({ entity, but: JSON.stringify(but) });
    },
  };
}

/** Returns 0 if the mapping does not depend on the day. */
function dayOf({ days }: RunOfRows, entity: Entity): number {
  return days.get(entity) ?? 0;
}

/** Rows that need not be mapped again. */
const STANDING = 'FROM staged_rows WHERE entity = $entity AND digest IS NOT NULL AND (until IS NULL OR until >= $day)';

const markOf = (entity: Entity): string => `staged ${entity}`;

/** Stores the context of mapping, which is everything else that the results depend on. They stay valid until it changes. */
function createContexts(sqlite: Sqlite, known: RunOfRows) {
  const { all, count } = createStatements(sqlite);
  const marks = createNamedValues(sqlite, 'marks');
  const countOf = count(`SELECT count(*) ${STANDING}`);
  // Returning thousands of rows as one text takes half the time.
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
     * Call it before the rows of an entity are staged. Results from another context are not used. The same applies to
     * results from a later day, which exist after a clock was set back or after `--as-of`.
     */
    mapUnder(entity: Entity, under: MappedUnder): void {
      const { context, day, isChecked } = under;
      const [before, on = ''] = (marks.find(markOf(entity)) ?? '').split('\n');
      const stands = before === context && Number(on) <= (day ?? 0);
      // Until all rows are mapped in the new context, the stored results are mixed. In a known context, some rows now
      // belong to this day.
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
    /** Notes that every row of the entity was mapped in that context. */
    rememberContext,
  };
}

/** Stores the digests of content that was staged completely. A write to any staged row forgets them all (a trigger). */
function createContents(sqlite: Sqlite, known: RunOfRows, see: (entity: Entity, row: number, place: Place) => void) {
  const { count, one, run, value } = createStatements(sqlite);
  const find = one<{ digest: string; body: string }>('SELECT digest, body FROM staged_contents WHERE source = $source');
  const keep = run('INSERT OR REPLACE INTO staged_contents (source, digest, body) VALUES ($source, $digest, $body)');
  // If all rows come from one stream, an index has the answer, so no rows are read.
  const asking = (rows: string) => ({
    count: count(`SELECT count(*) ${rows}`),
    rows: value<string>(`SELECT json_group_array(row) ${rows}`),
  });
  const [all, some] = [asking(STANDING), asking(`${STANDING} AND source = $source`)];
  return {
    keptContent: (source: string) => find({ source }),
    keepContent: (source: string, digest: string, body: string) => void keep({ source, digest, body }),
    /**
     * Counts a stream's rows that need not be mapped again.
     *
     * @param isOnly true if the entity has no other stream
     */
    countStanding: (entity: Entity, source: string, isOnly: boolean): number =>
      (isOnly ? all : some).count({ entity, source, day: dayOf(known, entity) }),
    /** Marks these rows as seen and unchanged, in the given file. */
    seeStanding(entity: Entity, { source, at }: Place, isOnly: boolean): void {
      const rows = (isOnly ? all : some).rows({ entity, source, day: dayOf(known, entity) }) ?? '[]';
      for (const row of JSON.parse(rows) as readonly number[])
        see(entity, row, { ...known.places.get(row, source), at });
    },
  };
}

/** Deletes rows that this run has not seen. */
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
     * Call it after the rows of an entity were staged. For streams in `read`, only the seen rows stay. Rows of streams
     * in `failed` are hidden, but kept for the next run.
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
    /** Stores the rows' places for the next run. */
    keepPlaces: () => places.save(),
  };
}
