import type { Desired } from '../../model/desired.js';
import type { Entity } from '../../model/entity.js';
import { canonicalJson, type Json, type Values } from '../../model/json.js';
import type { Place } from '../../model/place.js';
import type { Withheld } from '../../model/plan.js';
import type { Backing, PlannedSourceChange, SourceChange } from '../../model/write-back.js';
import type { Sqlite } from '../sqlite.js';
import type { OutboxKey } from '../state/outbox-store.js';
import { parseOrNull } from './work-tables.js';

/** A staged record whose columns may have to be written, with the object it is linked to or matched with. */
export interface WriteBackCandidate {
  /** Position in the staging. */
  readonly row: number;
  readonly desired: Desired & { readonly writeBack: Backing };
  /** null: there is none yet. */
  readonly serviceId: string | null;
  readonly base: Values | null;
  readonly written: Values | null;
  /** What stands in `settled` once nothing is left to be done; null without an object. */
  readonly mark: string | null;
}

export type WriteBackFilter = 'all' | 'applicable' | 'wanted';

/** What a run tells the sources. */
export interface PlannedWriteBackStore {
  /** Records that are wanted and stand behind columns, but for those settled under `context`; all of them with null. */
  writeBackRows(entity: Entity, context: string | null, afterRow: number, limit: number): readonly WriteBackCandidate[];
  planWriteBack(change: SourceChange, overwrites: boolean): void;
  writeBackChanges(filter: WriteBackFilter, source?: string): Iterable<PlannedSourceChange>;
  countWriteBack(filter: WriteBackFilter): Readonly<Record<string, WriteBackCount>>;
  /** Source → records in which a value is overwritten or emptied and that nobody has approved. */
  overwritten(): Readonly<Record<string, number>>;
  /** Records of a source that are linked: what percentages of guards are of. */
  backed(source: string): number;
  withholdWriteBack(source: string, withheld: Withheld): number;
  approveWriteBack(changeId: string, approval: string): void;
  /** Those that wait for a change to the service that has to wait itself. */
  propagateToWriteBack(): void;
  /** Takes out what is told of other objects. */
  keepOnlyWriteBack(wants: (change: SourceChange) => boolean): void;
  sight(entity: Entity, key: string, path: string, hash: string): void;
  sighted(): readonly { readonly entity: Entity; readonly key: string; readonly path: string; readonly hash: string }[];
  echo(at: OutboxKey, isNear: boolean, keeps: Json | null): void;
  echoes(): readonly (OutboxKey & {
    readonly near: boolean;
    /** What the source shows, where it stays known what was sent. */
    readonly keeps: Json | null;
  })[];
  settleWriteBack(entity: Entity, key: string, mark: string): void;
  settledWriteBack(): Iterable<{ readonly entity: Entity; readonly key: string; readonly mark: string }>;
}

export interface WriteBackCount {
  readonly records: number;
  readonly cells: number;
}

const CONDITIONS: Readonly<Record<WriteBackFilter, string>> = {
  all: 'TRUE',
  applicable: 'withheld_by IS NULL',
  wanted: 'withheld_by IS NULL AND id IN (SELECT id FROM wanted)',
};

const PAGE = 500;

interface WriteBackRow {
  row: number;
  key: string;
  body: string;
  place: string;
  back: string;
  service_id: string | null;
  agreed: string | null;
  written: string | null;
  mark: string | null;
}

interface PlannedSourceChangeRow {
  source: string;
  record: string;
  ref: string;
  withheld_by: string | null;
  withheld_name: string | null;
  approval: string | null;
  body: string;
}

export function createPlannedWriteBackStore(sqlite: Sqlite): PlannedWriteBackStore {
  const MARK = `s.hash || ' ' || s.back_hash || ' ' || o.hash || ' '`;
  const rows = sqlite.prepare<[string | null, string, number, string | null, string | null, number], WriteBackRow>(
    `SELECT s.rowid AS row, s.key, s.body, s.place, s.back, o.id AS service_id, l.agreed, l.written, ${MARK} || ? AS mark
     FROM staged s
     LEFT JOIN state.links l ON l.entity = s.entity AND l.source_key = s.key
     LEFT JOIN adopted a ON a.entity = s.entity AND a.key = s.key
     LEFT JOIN main.objects o ON o.entity = s.entity AND o.id = coalesce(a.id, l.service_id)
     WHERE s.entity = ? AND s.rowid > ? AND s.state = 'desired' AND s.back IS NOT NULL
       AND (? IS NULL OR o.id IS NULL OR l.settled IS NOT (${MARK} || ?))
     ORDER BY s.rowid LIMIT ?`,
  );
  const insert = sqlite.prepare('INSERT OR REPLACE INTO planned_back VALUES (?, ?, ?, ?, ?, NULL, NULL, NULL, ?)');
  const pageOf = (filter: WriteBackFilter) =>
    sqlite.prepare<[string, string, string, string | null, string | null, number], PlannedSourceChangeRow>(
      `SELECT * FROM planned_back WHERE (source, record, ref) > (?, ?, ?) AND (? IS NULL OR source = ?) AND ${CONDITIONS[filter]}
       ORDER BY source, record, ref LIMIT ?`,
    );
  const countOf = (filter: WriteBackFilter) =>
    sqlite.prepare<[], { source: string; records: number; cells: number }>(
      `SELECT source, count(DISTINCT record) AS records, sum(json_array_length(body, '$.cells')) AS cells FROM planned_back
       WHERE ${CONDITIONS[filter]} GROUP BY source ORDER BY source`,
    );
  const pages = { all: pageOf('all'), applicable: pageOf('applicable'), wanted: pageOf('wanted') };
  const counts = { all: countOf('all'), applicable: countOf('applicable'), wanted: countOf('wanted') };
  const overwritten = sqlite.prepare<[], { source: string; n: number }>(
    'SELECT source, count(DISTINCT record) AS n FROM planned_back WHERE overwrites = 1 AND approval IS NULL AND withheld_by IS NULL GROUP BY source',
  );
  const backed = sqlite
    .prepare<[string], number>(
      `SELECT count(*) FROM staged s JOIN state.links l ON l.entity = s.entity AND l.source_key = s.key
       WHERE s.back IS NOT NULL AND json_extract(s.back, '$.records."' || ? || '"') IS NOT NULL`,
    )
    .pluck();
  const withhold = sqlite.prepare(
    `UPDATE planned_back SET withheld_by = ?, withheld_name = ?
     WHERE source = ? AND overwrites = 1 AND approval IS NULL AND withheld_by IS NULL`,
  );
  const approve = sqlite.prepare('UPDATE planned_back SET approval = ? WHERE id = ?');
  const propagate = sqlite.prepare(
    `UPDATE planned_back SET withheld_by = 'blocked', withheld_name =
       (SELECT n.value FROM json_each(body, '$.needs') n JOIN planned p ON p.ref = n.value WHERE p.withheld_by IS NOT NULL LIMIT 1)
     WHERE withheld_by IS NULL AND EXISTS
       (SELECT 1 FROM json_each(body, '$.needs') n JOIN planned p ON p.ref = n.value WHERE p.withheld_by IS NOT NULL)`,
  );
  const drop = sqlite.prepare('DELETE FROM planned_back WHERE id = ?');
  const sight = sqlite.prepare('INSERT OR REPLACE INTO sighted VALUES (?, ?, ?, ?)');
  const sighted = sqlite.prepare<[], { entity: Entity; key: string; path: string; hash: string }>(
    'SELECT * FROM sighted',
  );
  const echo = sqlite.prepare('INSERT OR REPLACE INTO echoes VALUES (?, ?, ?, ?, ?)');
  const echoes = sqlite.prepare<[], OutboxKey & { near: number; keeps: string | null }>(
    'SELECT source, record, column_name AS column, near, keeps FROM echoes ORDER BY source, record, column_name',
  );
  const settle = sqlite.prepare('INSERT OR REPLACE INTO settled_back VALUES (?, ?, ?)');
  const settled = sqlite.prepare<[string, string, number], { entity: Entity; key: string; mark: string }>(
    `SELECT * FROM settled_back b WHERE (entity, key) > (?, ?)
       AND NOT EXISTS (SELECT 1 FROM held h WHERE h.entity = b.entity AND h.key = b.key) ORDER BY entity, key LIMIT ?`,
  );
  function* eachBack(filter: WriteBackFilter, only?: string): Iterable<PlannedSourceChange> {
    for (let [source, record, ref] = ['', '', '']; ; ) {
      const found = pages[filter].all(source, record, ref, only ?? null, only ?? null, PAGE);
      for (const row of found) {
        const { withheld_by: by, withheld_name: name, approval } = row;
        const withheld = by === null ? null : { by: by as Withheld['by'], name: name ?? '' };
        yield { ...(JSON.parse(row.body) as SourceChange), withheld, approval };
      }
      const last = found.at(-1);
      if (last === undefined) return;
      ({ source, record, ref } = last);
    }
  }

  return {
    writeBackRows: (entity, context, afterRow, limit) =>
      rows.all(context, entity, afterRow, context, context, limit).map((row) => ({
        row: row.row,
        desired: {
          entity,
          key: row.key,
          place: JSON.parse(row.place) as Place,
          values: JSON.parse(row.body) as Values,
          leaver: false,
          preference: null,
          writeBack: JSON.parse(row.back) as Backing,
        },
        serviceId: row.service_id,
        base: parseOrNull<Values>(row.agreed),
        written: parseOrNull<Values>(row.written),
        mark: row.mark,
      })),
    planWriteBack(change, overwrites) {
      const body = canonicalJson({ ...change } as unknown as Json);
      insert.run(change.source, change.record, change.id, `${change.entity}:${change.key}`, overwrites ? 1 : 0, body);
    },
    writeBackChanges: eachBack,
    countWriteBack: (filter) =>
      Object.fromEntries(counts[filter].all().map(({ source, records, cells }) => [source, { records, cells }])),
    overwritten: () => Object.fromEntries(overwritten.all().map(({ source, n }) => [source, n])),
    backed: (source) => backed.get(source) ?? 0,
    withholdWriteBack: (source, { by, name }) => withhold.run(by, name, source).changes,
    approveWriteBack: (changeId, approval) => void approve.run(approval, changeId),
    propagateToWriteBack: () => void propagate.run(),
    keepOnlyWriteBack(wants) {
      for (const change of eachBack('all')) if (!wants(change)) drop.run(change.id);
    },
    sight: (entity, key, path, hash) => void sight.run(entity, key, path, hash),
    sighted: () => sighted.all(),
    echo: ({ source, record, column }, isNear, keeps) =>
      void echo.run(source, record, column, isNear ? 1 : 0, keeps === null ? null : JSON.stringify(keeps)),
    echoes: () =>
      echoes.all().map(({ near, keeps, ...rest }) => ({ ...rest, near: near === 1, keeps: parseOrNull<Json>(keeps) })),
    settleWriteBack: (entity, key, mark) => void settle.run(entity, key, mark),
    *settledWriteBack() {
      for (let [entity, key] = ['', '']; ; ) {
        const found = settled.all(entity, key, PAGE);
        yield* found;
        const last = found.at(-1);
        if (last === undefined) return;
        ({ entity, key } = last);
      }
    },
  };
}
