import type { Desired, Hold } from '../model/desired.js';
import { type Action, ENTITIES, type Entity, type SourcedEntity } from '../model/entity.js';
import { canonicalJson, type Values } from '../model/json.js';
import type { Place } from '../model/place.js';
import type { Change, Counts, PlannedChange, Withheld } from '../model/plan.js';
import type { Sqlite } from './database.js';

/**
 * A run's scratch tables: what the sources want (staged), what will be done (planned), what is set aside (held).
 * They are TEMP tables of the mirror's connection, to which state.db is attached: a table of 1,000,000 people is joined
 * with links and mirror where it lies, and only candidates ever become objects in memory.
 */
const TABLES = `
  CREATE TEMP TABLE staged (
    entity TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL, source TEXT NOT NULL,
    hash TEXT, body TEXT, place TEXT NOT NULL, preference, doubtful INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (entity, key));
  CREATE TEMP TABLE enriching (
    source TEXT NOT NULL, join_key TEXT NOT NULL, body TEXT, place TEXT NOT NULL, PRIMARY KEY (source, join_key)) WITHOUT ROWID;
  CREATE TEMP TABLE planned (
    ref TEXT PRIMARY KEY, id TEXT NOT NULL, entity TEXT NOT NULL, action TEXT NOT NULL, target TEXT, rank INTEGER NOT NULL,
    level INTEGER NOT NULL DEFAULT 0, withheld_by TEXT, withheld_name TEXT, approval TEXT, body TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX temp.planned_order ON planned (rank, level, ref);
  CREATE INDEX temp.planned_id ON planned (id);
  CREATE INDEX temp.planned_target ON planned (entity, target);
  CREATE TEMP TABLE needs (ref TEXT NOT NULL, need TEXT NOT NULL, PRIMARY KEY (ref, need)) WITHOUT ROWID;
  CREATE TEMP TABLE adopted (entity TEXT NOT NULL, key TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (entity, key)) WITHOUT ROWID;
  CREATE TEMP TABLE agreed (
    entity TEXT NOT NULL, key TEXT NOT NULL, agreed TEXT NOT NULL, desired_hash TEXT NOT NULL, observed_hash TEXT NOT NULL,
    PRIMARY KEY (entity, key)) WITHOUT ROWID;
  CREATE TEMP TABLE claims (entity TEXT NOT NULL, id TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (entity, id, key)) WITHOUT ROWID;
  CREATE TEMP TABLE held (
    entity TEXT NOT NULL, key TEXT NOT NULL, place TEXT NOT NULL, code TEXT NOT NULL, reason TEXT NOT NULL, remedy TEXT NOT NULL);
  CREATE TEMP TABLE wanted (id TEXT PRIMARY KEY) WITHOUT ROWID;
`;

export interface StagedRow {
  readonly desired: Desired;
  readonly hash: string;
}

/** A staged record that may need a change, with all that is known of its object. */
export interface Candidate {
  readonly row: number;
  readonly desired: Desired;
  readonly desiredHash: string;
  readonly linkedId: string | null;
  readonly agreed: Values | null;
  readonly written: Values | null;
}

/** A link whose source key the sources did not deliver, and whose object is active. */
export interface MissingLink {
  readonly key: string;
  readonly id: string;
}

/** A linked pair found equal in this run. */
export interface FoundAgreement {
  readonly entity: SourcedEntity;
  readonly key: string;
  readonly agreed: Values;
  readonly desiredHash: string;
  readonly observedHash: string;
}

export interface WorkStore {
  reset(): void;
  stage(rows: readonly StagedRow[]): void;
  stageState(
    entity: SourcedEntity,
    key: string,
    source: string,
    place: string,
    state: 'out' | 'held',
    doubtful: boolean,
  ): void;
  stageEnriching(source: string, joinKey: string, body: string, place: string): void;
  /** The body of the one row with that join key; null when there is none; 'ambiguous' when there are several. */
  enriching(source: string, joinKey: string): string | null | 'ambiguous';
  duplicates(entity: SourcedEntity): readonly { readonly key: string; readonly places: readonly Place[] }[];
  isStaged(entity: SourcedEntity, key: string): boolean;
  stagedCount(entity: SourcedEntity): number;
  /** Linked objects that are active now: what percentages of guards are of. */
  linkedActive(entity: Entity): number;
  /** Customers' external ids of the projects that may need a change, and the linked ones the mirror lacks. */
  customersOfCandidates(contextHash: string): readonly string[];
  customersOfStaged(): readonly string[];
  /** Keys of rows with a wrong number of fields, which may therefore be wrong themselves, that no link knows. */
  doubtfulUnlinked(entity: SourcedEntity): readonly string[];
  candidates(entity: SourcedEntity, contextHash: string, afterRow: number, limit: number): readonly Candidate[];
  stagedByKey(
    entity: SourcedEntity,
    key: string,
  ): { readonly state: string; readonly desired: Desired | null; readonly place: string } | null;
  /** Keys of the staged records that a person may mean: by key, or by one of the given values. */
  findStaged(entity: SourcedEntity, words: string): readonly string[];
  missing(entity: SourcedEntity, afterKey: string, limit: number): readonly MissingLink[];
  /** Two records that claim one unlinked object. */
  claim(what: string, id: string, key: string): void;
  claimants(what: string, id: string): readonly string[];
  adopt(entity: SourcedEntity, key: string, id: string): void;
  agree(entity: SourcedEntity, key: string, agreed: Values, desiredHash: string, observedHash: string): void;
  adoptions(): readonly { readonly entity: SourcedEntity; readonly key: string; readonly id: string }[];
  agreements(): Iterable<FoundAgreement>;
  hold(hold: Hold): void;
  holds(): Iterable<Hold>;
  holdCount(): number;
  plan(change: Change): void;
  unplan(ref: string): void;
  planned(ref: string): Change | null;
  plannedByTarget(entity: Entity, id: string): Change | null;
  plannedOf(entity: Entity): Iterable<Change>;
  addNeed(ref: string, need: string): void;
  counts(onlyApplicable: boolean): Counts;
  idsOf(entity: Entity, action: Action): readonly string[];
  approveId(id: string, approval: string): void;
  withhold(entity: Entity, action: Action, withheld: Withheld): number;
  withholdRef(ref: string, withheld: Withheld): void;
  /** Keeps the changes for which `keep` holds, and all that they need; the rest is withheld as `only`. */
  keepOnly(keep: (change: Change) => boolean): void;
  /** What needs something withheld is withheld as well, to any depth. */
  propagateWithheld(): void;
  /** Sets each change's level after those it needs within its entity; answers the refs of a cycle, if there is one. */
  level(entity: Entity): readonly string[];
  want(ids: Iterable<string>): void;
  inOrder(filter: 'all' | 'applicable' | 'wanted'): Iterable<PlannedChange>;
}

interface StagedSql {
  row: number;
  key: string;
  hash: string;
  body: string;
  service_id: string | null;
  agreed: string | null;
  written: string | null;
}
interface PlannedSql {
  ref: string;
  level: number;
  rank: number;
  withheld_by: string | null;
  withheld_name: string | null;
  approval: string | null;
  body: string;
}

function parse<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T);
}

function toPlanned(row: PlannedSql): PlannedChange {
  return {
    ...(JSON.parse(row.body) as Change),
    stage: row.rank * 1000 + row.level,
    withheld:
      row.withheld_by === null ? null : { by: row.withheld_by as Withheld['by'], name: row.withheld_name ?? '' },
    approval: row.approval,
  };
}

export function createWorkStore(sqlite: Sqlite): WorkStore {
  sqlite.exec(TABLES);
  const insertStaged = sqlite.prepare(
    `INSERT INTO staged (entity, key, state, source, hash, body, place, preference, doubtful)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const stagedRow = sqlite.prepare<
    [string, string],
    { state: string; source: string; body: string | null; place: string; preference: number | string | null }
  >('SELECT state, source, body, place, preference FROM staged WHERE entity = ? AND key = ?');
  const replaceStaged = sqlite.prepare(
    `UPDATE staged SET state = ?, hash = ?, body = ?, place = ?, preference = ? WHERE entity = ? AND key = ?`,
  );
  const spoil = sqlite.prepare(
    `UPDATE staged SET state = 'duplicate', place = place || ',' || ? WHERE entity = ? AND key = ?`,
  );
  const insertEnriching = sqlite.prepare(
    `INSERT INTO enriching VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET body = NULL, place = place || ' and ' || excluded.place`,
  );
  const getEnriching = sqlite.prepare<[string, string], { body: string | null }>(
    'SELECT body FROM enriching WHERE source = ? AND join_key = ?',
  );
  const duplicates = sqlite.prepare<[string], { key: string; place: string }>(
    `SELECT key, place FROM staged WHERE entity = ? AND state = 'duplicate' ORDER BY rowid`,
  );
  const stagedCount = sqlite.prepare<[string], number>('SELECT count(*) FROM staged WHERE entity = ?').pluck();
  const doubtful = sqlite
    .prepare<[string], string>(
      `SELECT s.key FROM staged s LEFT JOIN state.links l ON l.entity = s.entity AND l.source_key = s.key
       WHERE s.entity = ? AND s.doubtful = 1 AND l.service_id IS NULL ORDER BY s.rowid`,
    )
    .pluck();
  const candidates = sqlite.prepare<[string, number, string, number], StagedSql>(
    `SELECT s.rowid AS row, s.key, s.hash, s.body, l.service_id, l.agreed, l.written
     FROM staged s
     LEFT JOIN state.links l ON l.entity = s.entity AND l.source_key = s.key
     LEFT JOIN main.objects o ON o.entity = s.entity AND o.id = l.service_id
     WHERE s.entity = ? AND s.rowid > ? AND s.state IN ('desired', 'leaver')
       AND (o.id IS NULL OR l.desired_hash IS NOT s.hash OR l.observed_hash IS NOT o.hash OR l.context_hash IS NOT ?)
     ORDER BY s.rowid LIMIT ?`,
  );
  const missing = sqlite.prepare<[string, string, number], MissingLink>(
    `SELECT l.source_key AS key, l.service_id AS id
     FROM state.links l
     JOIN main.objects o ON o.entity = l.entity AND o.id = l.service_id AND o.active = 1
     LEFT JOIN staged s ON s.entity = l.entity AND s.key = l.source_key
     WHERE l.entity = ? AND l.source_key > ? AND s.key IS NULL
     ORDER BY l.source_key LIMIT ?`,
  );
  const claim = sqlite.prepare('INSERT OR IGNORE INTO claims VALUES (?, ?, ?)');
  const claimants = sqlite
    .prepare<[string, string], string>('SELECT key FROM claims WHERE entity = ? AND id = ? ORDER BY key')
    .pluck();
  const hold = sqlite.prepare('INSERT INTO held VALUES (?, ?, ?, ?, ?, ?)');
  const holdPage = sqlite.prepare<[number], Hold & { row: number }>(
    'SELECT rowid AS row, * FROM held WHERE rowid > ? ORDER BY rowid LIMIT 500',
  );
  const holdCount = sqlite.prepare<[], number>('SELECT count(*) FROM held').pluck();
  const insertPlanned = sqlite.prepare(
    'INSERT OR REPLACE INTO planned (ref, id, entity, action, target, rank, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const insertNeed = sqlite.prepare('INSERT OR IGNORE INTO needs VALUES (?, ?)');
  const getPlanned = sqlite.prepare<[string], string>('SELECT body FROM planned WHERE ref = ?').pluck();
  const byTarget = sqlite
    .prepare<[string, string], string>('SELECT body FROM planned WHERE entity = ? AND target = ?')
    .pluck();
  const ofEntity = sqlite.prepare<[string, string], { ref: string; body: string }>(
    'SELECT ref, body FROM planned WHERE entity = ? AND ref > ? ORDER BY ref LIMIT 500',
  );
  const adopt = sqlite.prepare('INSERT OR REPLACE INTO adopted VALUES (?, ?, ?)');
  const agree = sqlite.prepare('INSERT OR REPLACE INTO agreed VALUES (?, ?, ?, ?, ?)');
  const agreements = sqlite.prepare<
    [string, string],
    { entity: SourcedEntity; key: string; agreed: string; desired_hash: string; observed_hash: string }
  >('SELECT * FROM agreed WHERE (entity, key) > (?, ?) ORDER BY entity, key LIMIT 500');
  const pages = {
    all: sqlite.prepare<[number, number, number, number, string], PlannedSql>(
      `SELECT * FROM planned WHERE rank > ? OR (rank = ? AND (level > ? OR (level = ? AND ref > ?)))
       ORDER BY rank, level, ref LIMIT 500`,
    ),
    applicable: sqlite.prepare<[number, number, number, number, string], PlannedSql>(
      `SELECT * FROM planned WHERE withheld_by IS NULL AND (rank > ? OR (rank = ? AND (level > ? OR (level = ? AND ref > ?))))
       ORDER BY rank, level, ref LIMIT 500`,
    ),
    wanted: sqlite.prepare<[number, number, number, number, string], PlannedSql>(
      `SELECT * FROM planned WHERE withheld_by IS NULL AND id IN (SELECT id FROM wanted)
         AND (rank > ? OR (rank = ? AND (level > ? OR (level = ? AND ref > ?))))
       ORDER BY rank, level, ref LIMIT 500`,
    ),
  };

  function putStaged(row: StagedRow): void {
    const { desired: d, hash } = row;
    const state = d.leaver ? 'leaver' : 'desired';
    const body = JSON.stringify(d);
    const place = JSON.stringify(d.place);
    if (insertStaged.run(d.entity, d.key, state, d.place.source, hash, body, place, d.preference, 0).changes === 1)
      return;
    const other = stagedRow.get(d.entity, d.key);
    // `from: [a, b]`: the first stream that has a key wins.
    if (other === undefined || other.source !== d.place.source) return;
    const both =
      d.preference !== null && other.preference !== null && other.state !== 'held' && other.state !== 'duplicate';
    if (both && d.preference !== other.preference) {
      if (d.preference > (other.preference ?? 0)) {
        replaceStaged.run(state, hash, body, place, d.preference, d.entity, d.key);
      }
      return;
    }
    spoil.run(place, d.entity, d.key);
  }

  function* inOrder(filter: 'all' | 'applicable' | 'wanted'): Iterable<PlannedChange> {
    let [rank, level, ref] = [-1, -1, ''];
    for (;;) {
      const rows = pages[filter].all(rank, rank, level, level, ref);
      for (const row of rows) yield toPlanned(row);
      const end = rows.at(-1);
      if (end === undefined) return;
      ({ rank, level, ref } = end);
    }
  }

  function* holds(): Iterable<Hold> {
    for (let last = 0; ; ) {
      const rows = holdPage.all(last);
      for (const { row, ...rest } of rows) {
        last = row;
        yield rest;
      }
      if (rows.length === 0) return;
    }
  }

  return {
    reset() {
      for (const table of [
        'staged',
        'enriching',
        'planned',
        'needs',
        'claims',
        'adopted',
        'agreed',
        'held',
        'wanted',
      ]) {
        sqlite.exec(`DELETE FROM temp.${table}`);
      }
    },
    stage: sqlite.transaction((rows: readonly StagedRow[]) => rows.forEach(putStaged)),
    stageState(entity, key, source, place, state, isDoubtful) {
      const done = insertStaged.run(entity, key, state, source, null, null, place, null, isDoubtful ? 1 : 0);
      if (done.changes === 0) spoil.run(place, entity, key);
    },
    stageEnriching: (source, joinKey, body, place) => void insertEnriching.run(source, joinKey, body, place),
    enriching(source, joinKey) {
      const row = getEnriching.get(source, joinKey);
      return row === undefined ? null : (row.body ?? 'ambiguous');
    },
    duplicates: (entity) =>
      duplicates.all(entity).map(({ key, place }) => ({ key, places: JSON.parse(`[${place}]`) as Place[] })),
    isStaged: (entity, key) => stagedRow.get(entity, key) !== undefined,
    stagedCount: (entity) => stagedCount.get(entity) ?? 0,
    linkedActive: (entity) =>
      sqlite
        .prepare<[string], number>(
          `SELECT count(*) FROM state.links l JOIN main.objects o ON o.entity = l.entity AND o.id = l.service_id
           WHERE l.entity = ? AND o.active = 1`,
        )
        .pluck()
        .get(entity) ?? 0,
    customersOfCandidates: (contextHash) =>
      sqlite
        .prepare<[string], string>(
          `SELECT DISTINCT json_extract(s.body, '$.values.customer') AS customer
           FROM staged s
           LEFT JOIN state.links l ON l.entity = s.entity AND l.source_key = s.key
           LEFT JOIN main.objects o ON o.entity = s.entity AND o.id = l.service_id
           WHERE s.entity = 'projects' AND s.state = 'desired' AND customer IS NOT NULL
             AND (o.id IS NULL OR l.desired_hash IS NOT s.hash OR l.observed_hash IS NOT o.hash OR l.context_hash IS NOT ?)
           ORDER BY customer`,
        )
        .pluck()
        .all(contextHash),
    customersOfStaged: () =>
      sqlite
        .prepare<[], string>(
          `SELECT DISTINCT json_extract(body, '$.values.customer') AS customer FROM staged
           WHERE entity = 'projects' AND state = 'desired' AND customer IS NOT NULL ORDER BY customer`,
        )
        .pluck()
        .all(),
    doubtfulUnlinked: (entity) => doubtful.all(entity),
    candidates: (entity, contextHash, afterRow, limit) =>
      candidates.all(entity, afterRow, contextHash, limit).map((row) => ({
        row: row.row,
        desired: JSON.parse(row.body) as Desired,
        desiredHash: row.hash,
        linkedId: row.service_id,
        agreed: parse<Values>(row.agreed),
        written: parse<Values>(row.written),
      })),
    stagedByKey(entity, key) {
      const row = stagedRow.get(entity, key);
      return row === undefined ? null : { state: row.state, desired: parse<Desired>(row.body), place: row.place };
    },
    findStaged: (entity, words) =>
      sqlite
        .prepare<[string, string], string>(
          `SELECT key FROM staged WHERE entity = ? AND ? IN (lower(key), lower(json_extract(body, '$.values.email')),
             lower(json_extract(body, '$.values.external_unique_id')), lower(json_extract(body, '$.values.name')))
           ORDER BY key LIMIT 20`,
        )
        .pluck()
        .all(entity, words),
    missing: (entity, afterKey, limit) => missing.all(entity, afterKey, limit),
    claim: (entity, id, key) => void claim.run(entity, id, key),
    claimants: (entity, id) => claimants.all(entity, id),
    hold: (h) => void hold.run(h.entity, h.key, h.place, h.code, h.reason, h.remedy),
    holds,
    holdCount: () => holdCount.get() ?? 0,
    plan(change) {
      const ref = `${change.entity}:${change.key}`;
      insertPlanned.run(
        ref,
        change.id,
        change.entity,
        change.action,
        change.target,
        ENTITIES.indexOf(change.entity),
        canonicalJson({ ...change } as never),
      );
      for (const need of change.needs) insertNeed.run(ref, need);
    },
    unplan: (ref) => void sqlite.prepare('DELETE FROM planned WHERE ref = ?').run(ref),
    planned: (ref) => parse<Change>(getPlanned.get(ref) ?? null),
    plannedByTarget: (entity, id) => parse<Change>(byTarget.get(entity, id) ?? null),
    *plannedOf(entity) {
      for (let ref = ''; ; ) {
        const rows = ofEntity.all(entity, ref);
        for (const row of rows) yield JSON.parse(row.body) as Change;
        const last = rows.at(-1);
        if (last === undefined) return;
        ref = last.ref;
      }
    },
    addNeed: (ref, need) => void insertNeed.run(ref, need),
    adopt: (entity, key, id) => void adopt.run(entity, key, id),
    agree: (entity, key, values, desiredHash, observedHash) =>
      void agree.run(entity, key, JSON.stringify(values), desiredHash, observedHash),
    adoptions: () =>
      sqlite.prepare<[], { entity: SourcedEntity; key: string; id: string }>('SELECT * FROM adopted').all(),
    *agreements() {
      for (let [entity, key] = ['', '']; ; ) {
        const rows = agreements.all(entity, key);
        for (const row of rows) {
          yield {
            entity: row.entity,
            key: row.key,
            agreed: JSON.parse(row.agreed) as Values,
            desiredHash: row.desired_hash,
            observedHash: row.observed_hash,
          };
        }
        const last = rows.at(-1);
        if (last === undefined) return;
        ({ entity, key } = last);
      }
    },
    counts(onlyApplicable) {
      const rows = sqlite
        .prepare<[], { entity: Entity; action: Action; n: number }>(
          `SELECT entity, action, count(*) AS n FROM planned ${onlyApplicable ? 'WHERE withheld_by IS NULL' : ''}
           GROUP BY rank, entity, action ORDER BY rank, action`,
        )
        .all();
      const counts: Partial<Record<Entity, Partial<Record<Action, number>>>> = {};
      for (const { entity, action, n } of rows) counts[entity] = { ...counts[entity], [action]: n };
      return counts;
    },
    idsOf: (entity, action) =>
      sqlite
        .prepare<[string, string], string>(
          'SELECT id FROM planned WHERE entity = ? AND action = ? AND withheld_by IS NULL ORDER BY ref',
        )
        .pluck()
        .all(entity, action),
    approveId: (id, approval) => void sqlite.prepare('UPDATE planned SET approval = ? WHERE id = ?').run(approval, id),
    withhold: (entity, action, w) =>
      sqlite
        .prepare(
          `UPDATE planned SET withheld_by = ?, withheld_name = ?
           WHERE entity = ? AND action = ? AND approval IS NULL AND withheld_by IS NULL`,
        )
        .run(w.by, w.name, entity, action).changes,
    withholdRef: (ref, w) =>
      void sqlite.prepare('UPDATE planned SET withheld_by = ?, withheld_name = ? WHERE ref = ?').run(w.by, w.name, ref),
    keepOnly(keep) {
      const kept: string[] = [];
      for (const change of inOrder('all')) if (keep(change)) kept.push(`${change.entity}:${change.key}`);
      sqlite.exec('CREATE TEMP TABLE IF NOT EXISTS kept (ref TEXT PRIMARY KEY) WITHOUT ROWID; DELETE FROM temp.kept');
      const add = sqlite.prepare('INSERT OR IGNORE INTO temp.kept VALUES (?)');
      for (const ref of kept) add.run(ref);
      const widen = sqlite.prepare(
        `INSERT OR IGNORE INTO temp.kept SELECT n.need FROM needs n JOIN temp.kept k ON k.ref = n.ref`,
      );
      while (widen.run().changes > 0);
      sqlite.exec(`DELETE FROM planned WHERE ref NOT IN (SELECT ref FROM temp.kept)`);
    },
    propagateWithheld() {
      const blocked = sqlite.prepare(
        `UPDATE planned SET withheld_by = 'blocked', withheld_name =
           (SELECT n.need FROM needs n JOIN planned p ON p.ref = n.need WHERE n.ref = planned.ref AND p.withheld_by IS NOT NULL ORDER BY n.need LIMIT 1)
         WHERE withheld_by IS NULL AND EXISTS
           (SELECT 1 FROM needs n JOIN planned p ON p.ref = n.need WHERE n.ref = planned.ref AND p.withheld_by IS NOT NULL)`,
      );
      while (blocked.run().changes > 0);
    },
    level(entity) {
      const edges = sqlite
        .prepare<[string], { ref: string; need: string }>(
          `SELECT n.ref, n.need FROM needs n JOIN planned a ON a.ref = n.ref JOIN planned b ON b.ref = n.need
           WHERE a.entity = ? AND b.entity = a.entity ORDER BY n.ref, n.need`,
        )
        .all(entity);
      const levels = new Map<string, number>();
      for (let round = 0; round <= edges.length; round++) {
        const moved = edges.filter(({ ref, need }) => (levels.get(ref) ?? 0) <= (levels.get(need) ?? 0));
        if (moved.length === 0) {
          const set = sqlite.prepare('UPDATE planned SET level = ? WHERE ref = ?');
          for (const [ref, level] of levels) set.run(level, ref);
          return [];
        }
        if (round === edges.length) return [...new Set(moved.map((edge) => edge.ref))];
        for (const { ref, need } of moved) levels.set(ref, (levels.get(need) ?? 0) + 1);
      }
      return [];
    },
    want(ids) {
      const add = sqlite.prepare('INSERT OR IGNORE INTO wanted VALUES (?)');
      for (const id of ids) add.run(id);
    },
    inOrder,
  };
}
