import { type Action, ENTITIES, type Entity } from '../../model/entity.js';
import { canonicalJson, type Json } from '../../model/json.js';
import { type Change, type Counts, DERIVED_REASONS, type PlannedChange, type Withheld } from '../../model/plan.js';
import type { Sqlite } from '../sqlite.js';
import { REOPENS } from './withheld-store.js';
import { parseOrNull } from './work-tables.js';

/** The plan in the making. A change is referred to as `entity:key`. */
export interface PlannedStore {
  plan(change: Change): void;
  unplan(ref: string): void;
  /** `ref` is dropped by `dropSuperseded` unless something holds `other`. */
  keepUnless(ref: string, other: string): void;
  dropSuperseded(): void;
  isPlanned(ref: string): boolean;
  /** It is planned, and something holds it. */
  isWithheld(ref: string): boolean;
  planned(ref: string): Change | null;
  plannedByTarget(entity: Entity, id: string): Change | null;
  plannedOf(entity: Entity): Iterable<Change>;
  addNeed(ref: string, need: string): void;
  replaceNeed(ref: string, need: string, by: string | null): void;
  /** Sets each change's level after those it needs within its entity; answers the refs of a circle, if there is one. */
  level(entity: Entity): readonly string[];
  counts(filter?: PlannedFilter): Counts;
  /** Updates of objects that this run adopts. */
  adoptedChanges(entity: Entity): Iterable<Change>;
  /** How many changes of one kind there are, and what the first of them are called. */
  plannedLabels(
    entity: Entity,
    action: Action,
    samples: number,
  ): { readonly count: number; readonly samples: readonly string[] };
  /** Takes out offices, tag categories and tags that no change needs any more: who referred to them is held. */
  dropUnneeded(): void;
  /** What needs something withheld is withheld as well, and what only withheld changes need, to any depth. */
  propagateWithheld(): void;
  /** Keeps the changes for which `keep` holds and all that they need; the rest is not planned. */
  keepOnly(keep: (change: Change) => boolean): void;
  /** Puts changes of people into a batch, after they were planned; their ids stay. */
  setBatch(keys: readonly string[], batch: string): void;
  want(ids: Iterable<string>): void;
  /** In the order of application. `applicable`: nothing withheld; `wanted`: of these, the ones asked for with `want`. */
  inOrder(filter: PlannedFilter): Iterable<PlannedChange>;
  count(filter: PlannedFilter): number;
}
export type PlannedFilter = 'all' | 'applicable' | 'wanted';

const CONDITIONS: Readonly<Record<PlannedFilter, string>> = {
  all: '1',
  applicable: 'withheld_by IS NULL',
  wanted: 'withheld_by IS NULL AND id IN (SELECT id FROM wanted)',
};
const PAGE = 500;
/** In the order of ENTITIES; what is deleted goes last, and the other way round: a tag after the records that give it up. */
function rankOf({ entity, action }: Change): number {
  const rank = ENTITIES.indexOf(entity);
  return action === 'delete' ? 2 * ENTITIES.length - rank : rank;
}

interface PlannedChangeRow {
  ref: string;
  level: number;
  rank: number;
  withheld_by: string | null;
  withheld_name: string | null;
  approval: string | null;
  body: string;
}

function toPlanned(row: PlannedChangeRow): PlannedChange {
  return {
    ...(JSON.parse(row.body) as Change),
    stage: row.rank * 1000 + row.level,
    withheld:
      row.withheld_by === null ? null : { by: row.withheld_by as Withheld['by'], name: row.withheld_name ?? '' },
    approval: row.approval,
  };
}

interface Edge {
  readonly ref: string;
  readonly need: string;
}

/** Frees what needs nothing, then what needed only that, and so on; who is never free waits in a circle, or for one. */
function levelEdges(edges: readonly Edge[]): {
  readonly levels: ReadonlyMap<string, number>;
  readonly circle: readonly string[];
} {
  const waiting = new Map<string, string[]>();
  const open = new Map<string, number>();
  for (const { ref, need } of edges) {
    open.set(ref, (open.get(ref) ?? 0) + 1);
    if (!open.has(need)) open.set(need, 0);
    const refs = waiting.get(need);
    if (refs === undefined) waiting.set(need, [ref]);
    else refs.push(ref);
  }
  const levels = new Map<string, number>();
  const free = [...open].flatMap(([ref, needs]) => (needs === 0 ? [ref] : []));
  for (const need of free) {
    open.delete(need);
    const level = levels.get(need) ?? 0;
    levels.set(need, level);
    for (const ref of waiting.get(need) ?? []) {
      levels.set(ref, Math.max(levels.get(ref) ?? 0, level + 1));
      const left = (open.get(ref) ?? 1) - 1;
      open.set(ref, left);
      if (left === 0) free.push(ref);
    }
  }
  // Whom nobody left waits for only waits for the circle, and is not part of it.
  for (let size = -1; size !== open.size; ) {
    size = open.size;
    for (const ref of open.keys()) if (!waiting.get(ref)?.some((one) => open.has(one))) open.delete(ref);
  }
  return { levels, circle: [...open.keys()] };
}

export function createPlannedStore(sqlite: Sqlite): PlannedStore {
  const insert = sqlite.prepare(
    'INSERT OR REPLACE INTO planned (ref, id, entity, action, target, rank, derived, part_of, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const remove = sqlite.prepare('DELETE FROM planned WHERE ref = ?');
  const unless = sqlite.prepare('INSERT OR IGNORE INTO unless VALUES (?, ?)');
  const superseded = sqlite.prepare(
    `DELETE FROM planned WHERE ref IN (SELECT u.ref FROM unless u WHERE NOT EXISTS
       (SELECT 1 FROM planned p WHERE p.ref = u.other AND p.withheld_by IS NOT NULL))`,
  );
  const insertNeed = sqlite.prepare('INSERT OR IGNORE INTO needs VALUES (?, ?)');
  const removeNeed = sqlite.prepare('DELETE FROM needs WHERE ref = ? AND need = ?');
  const has = sqlite.prepare<[string], number>('SELECT 1 FROM planned WHERE ref = ?').pluck();
  const withheld = sqlite
    .prepare<[string], number>('SELECT 1 FROM planned WHERE ref = ? AND withheld_by IS NOT NULL')
    .pluck();
  const byRef = sqlite.prepare<[string], string>('SELECT body FROM planned WHERE ref = ?').pluck();
  const byTarget = sqlite
    .prepare<[string, string], string>('SELECT body FROM planned WHERE entity = ? AND target = ? AND part_of IS NULL')
    .pluck();
  const ofEntity = sqlite.prepare<[string, string, number], { ref: string; body: string }>(
    'SELECT ref, body FROM planned WHERE ref > ? AND ref < ? ORDER BY ref LIMIT ?',
  );
  const edges = sqlite.prepare<[string, string], { ref: string; need: string }>(
    `SELECT n.ref, n.need FROM needs n JOIN planned a ON a.ref = n.ref JOIN planned b ON b.ref = n.need
     WHERE a.entity = ? AND b.entity = ? ORDER BY n.ref, n.need`,
  );
  const setLevel = sqlite.prepare('UPDATE planned SET level = ? WHERE ref = ?');
  const countsOf = (filter: PlannedFilter) =>
    sqlite.prepare<[], { entity: Entity; action: Action; n: number }>(
      `SELECT entity, action, count(*) AS n FROM planned WHERE ${CONDITIONS[filter]}
       GROUP BY rank, entity, action ORDER BY rank, action`,
    );
  const reopeningOf = (filter: PlannedFilter) =>
    sqlite.prepare<[], { entity: Entity; n: number }>(
      `SELECT entity, count(*) AS n FROM planned WHERE ${CONDITIONS[filter]} AND ${REOPENS} GROUP BY entity`,
    );
  const ofAdopted = sqlite
    .prepare<[string], string>(
      `SELECT p.body FROM planned p JOIN adopted a ON a.entity = p.entity AND p.ref = a.entity || ':' || a.key
       WHERE p.entity = ? ORDER BY p.ref`,
    )
    .pluck();
  const sumOf = sqlite
    .prepare<[string, string], number>('SELECT count(*) FROM planned WHERE entity = ? AND action = ?')
    .pluck();
  const labels = sqlite
    .prepare<[string, string, number], string>(
      `SELECT json_extract(body, '$.label') FROM planned WHERE entity = ? AND action = ? ORDER BY ref LIMIT ?`,
    )
    .pluck();
  const block = sqlite.prepare(
    `UPDATE planned SET withheld_by = 'blocked', withheld_name =
       (SELECT n.need FROM needs n JOIN planned p ON p.ref = n.need
        WHERE n.ref = planned.ref AND p.withheld_by IS NOT NULL ORDER BY n.need LIMIT 1)
     WHERE withheld_by IS NULL AND ref IN
       (SELECT n.ref FROM needs n JOIN planned p ON p.ref = n.need WHERE p.withheld_by IS NOT NULL)`,
  );
  // An office or tag is created because a record refers to it; when all who do have to wait, so does it.
  const blockDerived = sqlite.prepare(
    `UPDATE planned SET withheld_by = 'blocked', withheld_name =
       (SELECT n.ref FROM needs n JOIN planned p ON p.ref = n.ref WHERE n.need = planned.ref ORDER BY n.ref LIMIT 1)
     WHERE withheld_by IS NULL AND derived = 1
       AND EXISTS (SELECT 1 FROM needs n JOIN planned p ON p.ref = n.ref WHERE n.need = planned.ref)
       AND NOT EXISTS (SELECT 1 FROM needs n JOIN planned p ON p.ref = n.ref
                       WHERE n.need = planned.ref AND p.withheld_by IS NULL)`,
  );
  // A part of something that has to wait would leave half of it behind.
  const blockParts = sqlite.prepare(
    `UPDATE planned SET withheld_by = 'blocked', withheld_name = part_of
     WHERE withheld_by IS NULL AND part_of IN (SELECT ref FROM planned WHERE withheld_by IS NOT NULL)`,
  );
  const dropUnneeded = sqlite.prepare(
    `DELETE FROM planned WHERE derived = 1
       AND ref NOT IN (SELECT n.need FROM needs n JOIN planned p ON p.ref = n.ref)`,
  );
  const keep = sqlite.prepare('INSERT OR IGNORE INTO kept VALUES (?)');
  const widen = sqlite.prepare('INSERT OR IGNORE INTO kept SELECT n.need FROM needs n JOIN kept k ON k.ref = n.ref');
  const setBatch = sqlite.prepare(`UPDATE planned SET body = json_set(body, '$.batch', ?) WHERE ref = ?`);
  const widenWhole = sqlite.prepare(
    'INSERT OR IGNORE INTO kept SELECT p.part_of FROM planned p JOIN kept k ON k.ref = p.ref WHERE p.part_of IS NOT NULL',
  );
  const dropHalves = sqlite.prepare(
    `DELETE FROM wanted WHERE id IN (SELECT p.id FROM planned p WHERE p.part_of IS NOT NULL AND NOT EXISTS
       (SELECT 1 FROM planned o JOIN wanted w ON w.id = o.id WHERE o.ref = p.part_of))`,
  );
  const want = sqlite.prepare('INSERT OR IGNORE INTO wanted VALUES (?)');
  const pageOf = (filter: PlannedFilter) =>
    sqlite.prepare<[number, number, string, number], PlannedChangeRow>(
      `SELECT * FROM planned WHERE (rank, level, ref) > (?, ?, ?) AND ${CONDITIONS[filter]}
       ORDER BY rank, level, ref LIMIT ?`,
    );
  const countOf = (filter: PlannedFilter) =>
    sqlite.prepare<[], number>(`SELECT count(*) FROM planned WHERE ${CONDITIONS[filter]}`).pluck();
  const pages = { all: pageOf('all'), applicable: pageOf('applicable'), wanted: pageOf('wanted') };
  const sums = { all: countOf('all'), applicable: countOf('applicable'), wanted: countOf('wanted') };

  function* inOrder(filter: PlannedFilter): Iterable<PlannedChange> {
    let [rank, level, ref] = [-1, -1, ''];
    for (;;) {
      const rows = pages[filter].all(rank, level, ref, PAGE);
      for (const row of rows) yield toPlanned(row);
      const last = rows.at(-1);
      if (last === undefined) return;
      ({ rank, level, ref } = last);
    }
  }

  return {
    plan(change) {
      const { entity, key, id, action, target, needs, reason } = change;
      const ref = `${entity}:${key}`;
      const body = canonicalJson({ ...change } as unknown as Json);
      insert.run(
        ref,
        id,
        entity,
        action,
        target,
        rankOf(change),
        DERIVED_REASONS.includes(reason.kind) ? 1 : 0,
        change.partOf ?? null,
        body,
      );
      for (const need of needs) insertNeed.run(ref, need);
    },
    unplan: (ref) => void remove.run(ref),
    keepUnless: (ref, other) => void unless.run(ref, other),
    dropSuperseded: () => void superseded.run(),
    isWithheld: (ref) => withheld.get(ref) !== undefined,
    isPlanned: (ref) => has.get(ref) !== undefined,
    planned: (ref) => parseOrNull<Change>(byRef.get(ref)),
    plannedByTarget: (entity, id) => parseOrNull<Change>(byTarget.get(entity, id)),
    *plannedOf(entity) {
      // Refs of one entity stand together in the index: `users:` … `users;`, the character after the colon.
      for (let ref = `${entity}:`; ; ) {
        const rows = ofEntity.all(ref, `${entity};`, PAGE);
        for (const row of rows) yield JSON.parse(row.body) as Change;
        const last = rows.at(-1);
        if (last === undefined) return;
        ref = last.ref;
      }
    },
    addNeed: (ref, need) => void insertNeed.run(ref, need),
    replaceNeed(ref, need, by) {
      removeNeed.run(ref, need);
      if (by !== null) insertNeed.run(ref, by);
    },
    level(entity) {
      const { levels, circle } = levelEdges(edges.all(entity, entity));
      if (circle.length > 0) return circle;
      for (const [ref, level] of levels) setLevel.run(level, ref);
      return [];
    },
    counts(filter = 'all') {
      const sum: Partial<Record<Entity, Partial<Record<Action, number>>>> = {};
      for (const { entity, action, n } of countsOf(filter).all()) sum[entity] = { ...sum[entity], [action]: n };
      for (const { entity, n } of reopeningOf(filter).all())
        sum[entity] = { ...sum[entity], reactivate: (sum[entity]?.reactivate ?? 0) + n };
      return sum;
    },
    *adoptedChanges(entity) {
      for (const body of ofAdopted.all(entity)) yield JSON.parse(body) as Change;
    },
    plannedLabels: (entity, action, samples) => ({
      count: sumOf.get(entity, action) ?? 0,
      samples: labels.all(entity, action, samples),
    }),
    dropUnneeded() {
      while (dropUnneeded.run().changes > 0);
    },
    propagateWithheld() {
      while (block.run().changes + blockDerived.run().changes + blockParts.run().changes > 0);
    },
    keepOnly(wants) {
      for (const change of inOrder('all')) if (wants(change)) keep.run(`${change.entity}:${change.key}`);
      while (widen.run().changes + widenWhole.run().changes > 0);
      sqlite.exec('DELETE FROM planned WHERE ref NOT IN (SELECT ref FROM kept)');
    },
    setBatch(keys, batch) {
      for (const key of keys) setBatch.run(batch, `users:${key}`);
    },
    want(ids) {
      for (const id of ids) want.run(id);
      dropHalves.run();
    },
    inOrder,
    count: (filter) => sums[filter].get() ?? 0,
  };
}
