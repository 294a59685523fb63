import type { Backing, Desired } from '../../model/desired.js';
import type { Entity } from '../../model/entity.js';
import { canonicalJson, type Json, type Values } from '../../model/json.js';
import type { Place } from '../../model/place.js';
import type { Withheld } from '../../model/plan.js';
import type { PlannedSourceChange, SourceChange } from '../../model/write-back.js';
import { createValuePacker, unpackOrNull, type ValuePacker } from '../packed-values.js';
import type { Sqlite } from '../sqlite.js';
import type { OutboxKey, SightedValue } from '../state/outbox-store.js';
import { createStatements, eachRow, mapValues } from '../statements.js';
import { FILTERS, type PlannedFilter, toWithheld } from './planned-store.js';
import { isToBeLinked } from './work-tables.js';

/** A staged record with columns that may have to be written, and the object linked or matched to it. */
export interface WriteBackCandidate {
  readonly desired: Desired & { readonly writeBack: Backing };
  /** Null if the object does not exist yet. */
  readonly serviceId: string | null;
  readonly base: Values | null;
  readonly written: Values | null;
  /** The value of `settled` once nothing remains to be written; null without an object. */
  readonly mark: string | null;
}

export interface WriteBackCount {
  readonly records: number;
  readonly cells: number;
}

/** Stores the changes that a run writes back to the sources. */
export function createPlannedWriteBackStore(sqlite: Sqlite) {
  return {
    ...createWriteBackRows(sqlite),
    ...createChanges(sqlite),
    ...createGuarded(sqlite),
    ...createFindings(sqlite),
  };
}

interface WriteBackRow {
  readonly row: number;
  readonly key: string;
  readonly body: string;
  readonly place: string;
  readonly back: string;
  readonly serviceId: string | null;
  readonly agreed: string | null;
  readonly written: string | null;
  readonly mark: string | null;
}

function toCandidate(
  entity: Entity,
  { key, place, body, back, serviceId, agreed, written, mark }: WriteBackRow,
  { links, rows }: { readonly links: ValuePacker; readonly rows: ValuePacker },
): WriteBackCandidate {
  return {
    serviceId,
    mark,
    desired: {
      entity,
      key,
      place: JSON.parse(place) as Place,
      values: rows.unpack(body),
      leaver: false,
      preference: null,
      writeBack: JSON.parse(back) as Backing,
    },
    base: unpackOrNull(links, agreed),
    written: unpackOrNull(links, written),
  };
}

const MARK = `s.hash || ' ' || s.back_hash || ' ' || o.hash || ' ' || $context`;

function createWriteBackRows(sqlite: Sqlite) {
  const { all, count } = createStatements(sqlite);
  const packers = { links: createValuePacker(sqlite, 'state'), rows: createValuePacker(sqlite) };
  const rows = all<WriteBackRow>(
    `SELECT s.rowid AS row, s.key, s.body, s.place, s.back, o.id AS serviceId, l.agreed, l.written, ${MARK} AS mark
     FROM staged s
     LEFT JOIN state.links l ON l.entity = s.entity AND l.source_key = s.key
     LEFT JOIN adopted a ON a.entity = s.entity AND a.key = s.key
       AND ${isToBeLinked('a')}
     LEFT JOIN main.objects o ON o.entity = s.entity AND o.id = coalesce(a.id, l.service_id)
     WHERE +s.entity = $entity AND s.rowid > $row AND s.state = 'desired' AND s.back IS NOT NULL
       AND ($context IS NULL OR o.id IS NULL OR l.settled IS NOT (${MARK}))
     ORDER BY s.rowid LIMIT 500`,
  );
  const backed = count(
    `SELECT count(*) FROM staged s JOIN state.links l ON l.entity = s.entity AND l.source_key = s.key
     WHERE s.back IS NOT NULL AND json_extract(s.back, '$.records."' || $source || '"') IS NOT NULL`,
  );
  return {
    /**
     * Desired records with columns to write back, except records settled with `context`. If `context` is null, all of
     * them.
     */
    *writeBackRows(entity: Entity, context: string | null): Iterable<WriteBackCandidate> {
      for (const row of eachRow(({ row }) => rows({ entity, context, row }), { row: 0 }))
        yield toCandidate(entity, row, packers);
    },
    /** Number of a source's linked records, which guards' percentages are based on. */
    backed: (source: string) => backed({ source }),
  };
}

interface PlannedSourceChangeRow {
  readonly source: string;
  readonly record: string;
  readonly ref: string;
  readonly withheldBy: Withheld['by'] | null;
  readonly withheldName: string | null;
  readonly approval: string | null;
  readonly body: string;
}

function createChanges(sqlite: Sqlite) {
  const { all, run } = createStatements(sqlite);
  const insert = run(
    `INSERT OR REPLACE INTO planned_back (source, record, id, ref, overwrites, body)
     VALUES ($source, $record, $id, $ref, $overwrites, $body)`,
  );
  const drop = run('DELETE FROM planned_back WHERE id = $id');
  const pages = mapValues(FILTERS, (condition) =>
    all<PlannedSourceChangeRow>(
      `SELECT source, record, ref, withheld_by AS withheldBy, withheld_name AS withheldName, approval, body
       FROM planned_back WHERE (source, record, ref) > ($source, $record, $ref)
         AND ($only IS NULL OR source = $only) AND ${condition} ORDER BY source, record, ref LIMIT 500`,
    ),
  );
  const COUNTED = { ...FILTERS, undeclined: "withheld_by IS NOT 'declined'" };
  const withhold = run(
    `UPDATE planned_back SET withheld_by = $by, withheld_name = $name
     WHERE source = $source AND record = $record AND ref = $ref`,
  );
  const remove = run('DELETE FROM planned_back WHERE source = $source AND record = $record AND ref = $ref');
  const ofRecord = all<{ body: string }>(
    'SELECT body FROM planned_back WHERE source = $source AND record = $record ORDER BY ref',
  );
  const counts = mapValues(COUNTED, (condition) =>
    all<WriteBackCount & { readonly source: string }>(
      `SELECT source, count(DISTINCT record) AS records, sum(json_array_length(body, '$.cells')) AS cells FROM planned_back
       WHERE ${condition} GROUP BY source ORDER BY source`,
    ),
  );

  function* eachChange(filter: PlannedFilter, only: string | null = null): Iterable<PlannedSourceChange> {
    const rows = eachRow((after) => pages[filter]({ ...after, only }), { source: '', record: '', ref: '' });
    for (const { body, withheldBy, withheldName, approval } of rows) {
      yield { ...(JSON.parse(body) as SourceChange), withheld: toWithheld(withheldBy, withheldName), approval };
    }
  }

  return {
    planWriteBack(change: SourceChange, overwrites: boolean): void {
      const body = canonicalJson({ ...change } as unknown as Json);
      insert({ ...change, ref: `${change.entity}:${change.key}`, overwrites: overwrites ? 1 : 0, body });
    },
    writeBackChanges: eachChange,
    countWriteBack: (filter: keyof typeof COUNTED) =>
      Object.fromEntries(counts[filter]().map(({ source, ...count }) => [source, count])),
    /** Changes to write back to one record of a source. */
    writeBackOf: (source: string, record: string): readonly SourceChange[] =>
      ofRecord({ source, record }).map(({ body }) => JSON.parse(body) as SourceChange),
    dropWriteBack: ({ source, record, entity, key }: SourceChange) =>
      void remove({ source, record, ref: `${entity}:${key}` }),
    setWriteBackAside: ({ source, record, entity, key }: SourceChange, { by, name }: Withheld) =>
      void withhold({ source, record, ref: `${entity}:${key}`, by, name }),
    /** Drops changes that `wants` does not select. */
    keepOnlyWriteBack(wants: (change: SourceChange) => boolean): void {
      for (const change of eachChange('all')) if (!wants(change)) drop({ id: change.id });
    },
  };
}

function createGuarded(sqlite: Sqlite) {
  const { all, run } = createStatements(sqlite);
  const isUnapproved = 'overwrites = 1 AND approval IS NULL AND withheld_by IS NULL';
  const overwritten = all<{ source: string; n: number }>(
    `SELECT source, count(DISTINCT record) AS n FROM planned_back WHERE ${isUnapproved} GROUP BY source`,
  );
  const withhold = run(
    `UPDATE planned_back SET withheld_by = $by, withheld_name = $name WHERE source = $source AND ${isUnapproved}`,
  );
  const approve = run('UPDATE planned_back SET approval = $approval WHERE id = $id');
  const withheldNeeds = `FROM json_each(body, '$.needs') n JOIN planned p ON p.ref = n.value WHERE p.withheld_by IS NOT NULL`;
  const propagate = run(
    `UPDATE planned_back SET withheld_by = 'blocked', withheld_name = (SELECT n.value ${withheldNeeds} LIMIT 1)
     WHERE withheld_by IS NULL AND EXISTS (SELECT 1 ${withheldNeeds})`,
  );
  return {
    /** By source, the number of records with an overwritten or emptied value that is not approved. */
    overwritten: () => Object.fromEntries(overwritten().map(({ source, n }) => [source, n])),
    withholdWriteBack: (source: string, { by, name }: Withheld) => withhold({ source, by, name }),
    approveWriteBack: (id: string, approval: string) => void approve({ id, approval }),
    /** Withholds changes that depend on a withheld change to the service. */
    propagateToWriteBack: () => void propagate(),
  };
}

/** Stores what planning found out about the sources, until this is saved. */
function createFindings(sqlite: Sqlite) {
  const { all, run } = createStatements(sqlite);
  const sight = run('INSERT OR REPLACE INTO sighted VALUES ($entity, $key, $path, $hash)');
  const echo = run('INSERT OR REPLACE INTO echoes VALUES ($source, $record, $column, $near, $keeps)');
  const echoes = all<OutboxKey & { near: number; keeps: string | null }>(
    'SELECT source, record, column_name AS column, near, keeps FROM echoes ORDER BY source, record, column_name',
  );
  const settle = run('INSERT OR REPLACE INTO settled_back VALUES ($entity, $key, $mark)');
  const settled = all<{ entity: Entity; key: string; mark: string }>(
    `SELECT * FROM settled_back b WHERE (entity, key) > ($entity, $key)
       AND NOT EXISTS (SELECT 1 FROM held h WHERE h.entity = b.entity AND h.key = b.key) ORDER BY entity, key LIMIT 500`,
  );
  return {
    sight: (entity: Entity, key: string, path: string, hash: string) => void sight({ entity, key, path, hash }),
    sighted: all<SightedValue>('SELECT * FROM sighted'),
    echo: (at: OutboxKey, isNear: boolean, keeps?: Json) =>
      void echo({ ...at, near: isNear ? 1 : 0, keeps: keeps === undefined ? null : JSON.stringify(keeps) }),
    echoes: () =>
      echoes().map(({ near, keeps, ...at }) => ({
        ...at,
        near: near === 1,
        keeps: keeps === null ? undefined : (JSON.parse(keeps) as Json),
      })),
    settleWriteBack: (entity: Entity, key: string, mark: string) => void settle({ entity, key, mark }),
    settledWriteBack: () => eachRow(settled, { entity: '' as string, key: '' }),
  };
}
