import { type Action, ENTITIES, type Entity } from '../../model/entity.js';
import { canonicalJson, type Json } from '../../model/json.js';
import { type Change, type Counts, DERIVED_REASONS, type PlannedChange, type Withheld } from '../../model/plan.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, eachRow, mapValues, parseOrNull } from '../statements.js';
import { levelEdges } from './level-edges.js';
import { createPowerLookup } from './power-lookup.js';
import { REOPENS } from './withheld-store.js';

export type PlannedFilter = 'all' | 'applicable' | 'wanted';

/** SQL conditions for changes to the service and to the sources. */
export const FILTERS: Readonly<Record<PlannedFilter, string>> = {
  all: '1',
  applicable: 'withheld_by IS NULL',
  wanted: 'withheld_by IS NULL AND id IN (SELECT id FROM wanted)',
};
/** Changes that are paused or declined, and changes that depend on them, regardless of approvals. */
const PAUSED = `
  WITH RECURSIVE paused (ref) AS (
    SELECT ref FROM planned WHERE withheld_by IN ('pause', 'declined')
    UNION SELECT p.ref FROM paused CROSS JOIN needs n ON n.need = paused.ref
      JOIN planned p ON p.ref = n.ref AND p.withheld_by = 'blocked'
    UNION SELECT p.ref FROM paused CROSS JOIN needs n ON n.ref = paused.ref
      JOIN planned p ON p.ref = n.need AND p.withheld_by = 'blocked' AND p.withheld_name = paused.ref)
  SELECT ref FROM paused`;
const COUNTED = { ...FILTERS, unpaused: `ref NOT IN (${PAUSED})` };

/**
 * Ranks changes in the order of ENTITIES. Deletions come last, in reverse order. A tag is deleted after the records
 * that use it.
 */
function rankOf({ entity, action }: Change): number {
  const rank = ENTITIES.indexOf(entity);
  return action === 'delete' ? 2 * ENTITIES.length - rank : rank;
}

interface PlannedChangeRow {
  readonly ref: string;
  readonly level: number;
  readonly rank: number;
  readonly withheldBy: Withheld['by'] | null;
  readonly withheldName: string | null;
  readonly approval: string | null;
  readonly body: string;
}

function toPlanned({ rank, level, withheldBy, withheldName, approval, body }: PlannedChangeRow): PlannedChange {
  const rest = { stage: rank * 1000 + level, withheld: toWithheld(withheldBy, withheldName), approval };
  return Object.assign(JSON.parse(body) as Change, rest);
}

export function toWithheld(by: Withheld['by'] | null, name: string | null): Withheld | null {
  return by === null ? null : { by, name: name ?? '' };
}

/** The plan that this run derives. `entity:key` identifies a change. */
export function createPlannedStore(sqlite: Sqlite) {
  const inOrder = createInOrder(sqlite);
  return {
    ...createPlanning(sqlite),
    ...createPlannedLookup(sqlite),
    ...createPlannedCounts(sqlite),
    ...createPowerLookup(sqlite),
    ...createWithholding(sqlite),
    /**
     * Yields changes in the order of application. `applicable`: not withheld. `wanted`: applicable and requested with
     * `want`.
     */
    inOrder,
    ...createKeepOnly(sqlite, inOrder),
  };
}

function createPlanning(sqlite: Sqlite) {
  const { all, run, values } = createStatements(sqlite);
  const insert = run(
    `INSERT OR REPLACE INTO planned (ref, id, entity, action, target, rank, derived, part_of, answer, body)
     VALUES ($ref, $id, $entity, $action, $target, $rank, $derived, $partOf, $answer, $body)`,
  );
  const remove = run('DELETE FROM planned WHERE ref = $ref');
  const unless = run('INSERT OR IGNORE INTO unless VALUES ($ref, $other)');
  const dropSuperseded = run(
    `DELETE FROM planned WHERE ref IN (SELECT u.ref FROM unless u WHERE NOT EXISTS
       (SELECT 1 FROM planned p WHERE p.ref = u.other AND p.withheld_by IS NOT NULL))`,
  );
  const insertNeed = run('INSERT OR IGNORE INTO needs VALUES ($ref, $need)');
  const waiters = values<string>('SELECT ref FROM needs WHERE need = $need ORDER BY ref');
  const removeNeed = run('DELETE FROM needs WHERE ref = $ref AND need = $need');
  const edges = all<{ ref: string; need: string }>(
    `SELECT n.ref, n.need FROM needs n JOIN planned a ON a.ref = n.ref JOIN planned b ON b.ref = n.need
     WHERE a.entity = $entity AND b.entity = $entity ORDER BY n.ref, n.need`,
  );
  const setLevel = run('UPDATE planned SET level = $level WHERE ref = $ref');
  const setBatch = run(`UPDATE planned SET body = json_set(body, '$.batch', $batch) WHERE ref = $ref`);
  return {
    plan(change: Change): void {
      const ref = `${change.entity}:${change.key}`;
      const derived = DERIVED_REASONS.includes(change.reason.kind) ? 1 : 0;
      const body = canonicalJson({ ...change } as unknown as Json);
      const [partOf, answer] = [change.partOf ?? null, change.apart?.answer ?? null];
      insert({ ...change, ref, rank: rankOf(change), derived, partOf, answer, body });
      for (const need of change.needs) insertNeed({ ref, need });
    },
    unplan: (ref: string) => void remove({ ref }),
    /** `dropSuperseded` drops `ref` unless something holds `other`. */
    keepUnless: (ref: string, other: string) => void unless({ ref, other }),
    dropSuperseded: () => void dropSuperseded(),
    addNeed: (ref: string, need: string) => void insertNeed({ ref, need }),
    waitersOf: (need: string): readonly string[] => waiters({ need }),
    replaceNeed(ref: string, need: string, by: string | null): void {
      removeNeed({ ref, need });
      if (by !== null) insertNeed({ ref, need: by });
    },
    /**
     * Places each change one level after the changes of the same entity that it needs. Returns the refs of a circle, if
     * there is one.
     */
    level(entity: Entity): readonly string[] {
      const { levels, circle } = levelEdges(edges({ entity }));
      if (circle.length > 0) return circle;
      for (const [ref, level] of levels) setLevel({ ref, level });
      return [];
    },
    /** Assigns planned changes of people to a batch. Their ids stay the same. */
    setBatch(keys: readonly string[], batch: string): void {
      for (const key of keys) setBatch({ ref: `users:${key}`, batch });
    },
  };
}

function createPlannedLookup(sqlite: Sqlite) {
  const { all, any, value, values } = createStatements(sqlite);
  const isPlanned = any('SELECT 1 FROM planned WHERE ref = $ref');
  const isWithheld = any('SELECT 1 FROM planned WHERE ref = $ref AND withheld_by IS NOT NULL');
  const isHeldBy = any("SELECT 1 FROM planned WHERE ref = $ref AND withheld_by = 'guard' AND withheld_name = $guard");
  const byRef = value<string>('SELECT body FROM planned WHERE ref = $ref');
  const byTarget = value<string>(
    // Declined changes are not made, so they do not count as changes to the object.
    `SELECT body FROM planned WHERE entity = $entity AND target = $id AND part_of IS NULL
       AND ref NOT LIKE '%~declined' AND ref NOT LIKE '%~edited' AND ref NOT LIKE '%~promoted'`,
  );
  const ofEntity = all<{ ref: string; body: string }>(
    `SELECT ref, body FROM planned WHERE ref > $ref AND ref < $end
       AND ($actions = '[]' OR action IN (SELECT value FROM json_each($actions))) ORDER BY ref LIMIT 500`,
  );
  const ofDeclined = all<{ ref: string; body: string; name: string }>(
    `SELECT ref, body, withheld_name AS name FROM planned WHERE ref > $ref AND withheld_by = 'declined' ORDER BY ref LIMIT 500`,
  );
  const ofAdopted = values<string>(
    `SELECT p.body FROM planned p JOIN adopted a ON a.entity = p.entity AND p.ref = a.entity || ':' || a.key
     WHERE p.entity = $entity ORDER BY p.ref`,
  );
  return {
    isPlanned: (ref: string) => isPlanned({ ref }),
    isWithheld: (ref: string) => isWithheld({ ref }),
    /** True if only that guard holds the change. */
    isHeldBy: (ref: string, guard: string) => isHeldBy({ ref, guard }),
    planned: (ref: string) => parseOrNull<Change>(byRef({ ref })),
    plannedByTarget: (entity: Entity, id: string) => parseOrNull<Change>(byTarget({ entity, id })),
    /** Declined changes, each with the ids of its declines. */
    *declinedChanges(): Iterable<{ readonly change: Change; readonly declines: readonly string[] }> {
      for (const { body, name } of eachRow(({ ref }) => ofDeclined({ ref }), { ref: '' }))
        yield { change: JSON.parse(body) as Change, declines: name.split(' + ') };
    },
    *plannedOf(entity: Entity, ...named: readonly Action[]): Iterable<Change> {
      // Refs of one entity are adjacent in the index, from `users:` to `users;`, because the semicolon follows the
      // colon.
      const [end, actions] = [`${entity};`, JSON.stringify(named)];
      for (const { body } of eachRow(({ ref }) => ofEntity({ ref, end, actions }), { ref: `${entity}:` }))
        yield JSON.parse(body) as Change;
    },
    /** Updates of objects that this run adopts. */
    *adoptedChanges(entity: Entity): Iterable<Change> {
      for (const body of ofAdopted({ entity })) yield JSON.parse(body) as Change;
    },
  };
}

function createPlannedCounts(sqlite: Sqlite) {
  const { all, count, value, values } = createStatements(sqlite);
  const countsOf = mapValues(COUNTED, (condition) =>
    all<{ entity: Entity; action: Action; n: number }>(
      `SELECT entity, action, count(*) AS n FROM planned WHERE ${condition}
       GROUP BY rank, entity, action ORDER BY rank, action`,
    ),
  );
  const reopeningOf = mapValues(COUNTED, (condition) =>
    all<{ entity: Entity; n: number }>(
      `SELECT entity, count(*) AS n FROM planned WHERE ${condition} AND ${REOPENS} GROUP BY entity`,
    ),
  );
  const sums = mapValues(FILTERS, (condition) => value<number>(`SELECT count(*) FROM planned WHERE ${condition}`));
  const imported = mapValues(FILTERS, (condition) =>
    value<number>(`SELECT count(*) FROM planned WHERE ${condition} AND body ->> '$.batch' LIKE 'import:%'`),
  );
  const countWaiting = count(
    `SELECT count(*) FROM planned WHERE withheld_by IN ('guard', 'blocked') AND ${COUNTED.unpaused}`,
  );
  const ofKind = 'FROM planned WHERE entity = $entity AND action = $action';
  const sumOf = count(`SELECT count(*) ${ofKind}`);
  const labels = values<string>(`SELECT json_extract(body, '$.label') ${ofKind} ORDER BY ref LIMIT $samples`);
  return {
    counts(filter: keyof typeof COUNTED = 'all'): Counts {
      const sum: Partial<Record<Entity, Partial<Record<Action, number>>>> = {};
      for (const { entity, action, n } of countsOf[filter]()) sum[entity] = { ...sum[entity], [action]: n };
      for (const { entity, n } of reopeningOf[filter]())
        sum[entity] = { ...sum[entity], reactivate: (sum[entity]?.reactivate ?? 0) + n };
      return sum;
    },
    /** The number of changes of one kind, with labels of the first ones. */
    plannedLabels: (entity: Entity, action: Action, samples: number) => ({
      count: sumOf({ entity, action }),
      samples: labels({ entity, action, samples }),
    }),
    count: (filter: PlannedFilter) => sums[filter]() ?? 0,
    /** Number of people that the service's own import creates. */
    countImported: (filter: PlannedFilter) => imported[filter]() ?? 0,
    /** Number of changes that need an approval, or depend on a change that does. */
    countWaiting,
  };
}

function createWithholding(sqlite: Sqlite) {
  const { run } = createStatements(sqlite);
  const blocks = [
    `WITH RECURSIVE blocked (ref, need) AS (
       SELECT n.ref, n.need FROM needs n JOIN planned p ON p.ref = n.need WHERE p.withheld_by IS NOT NULL
       UNION SELECT n.ref, n.need FROM blocked b CROSS JOIN needs n ON n.need = b.ref JOIN planned p ON p.ref = b.ref)
     UPDATE planned SET withheld_by = 'blocked', withheld_name = b.need
     FROM (SELECT ref, min(need) AS need FROM blocked GROUP BY ref) b
     WHERE b.ref = planned.ref AND withheld_by IS NULL`,
    // An office or tag is created because records refer to it. If all of these are withheld, it is withheld too.
    `UPDATE planned SET withheld_by = 'blocked', withheld_name =
       (SELECT n.ref FROM needs n JOIN planned p ON p.ref = n.ref WHERE n.need = planned.ref ORDER BY n.ref LIMIT 1)
     WHERE withheld_by IS NULL AND derived = 1
       AND EXISTS (SELECT 1 FROM needs n JOIN planned p ON p.ref = n.ref WHERE n.need = planned.ref)
       AND NOT EXISTS (SELECT 1 FROM needs n JOIN planned p ON p.ref = n.ref
                       WHERE n.need = planned.ref AND p.withheld_by IS NULL)`,
    // A part of a withheld change would be incomplete, so it is withheld too.
    `UPDATE planned SET withheld_by = 'blocked', withheld_name = part_of
     WHERE withheld_by IS NULL AND part_of IN (SELECT ref FROM planned WHERE withheld_by IS NOT NULL)`,
  ].map(run);
  const dropUnneeded = run(
    `DELETE FROM planned WHERE derived = 1
       AND ref NOT IN (SELECT n.need FROM needs n JOIN planned p ON p.ref = n.ref)`,
  );
  // A change that needs an unrequested one would be rejected or incomplete. A part on its own would be incomplete too.
  const dropDependents = [
    `DELETE FROM wanted WHERE id IN (SELECT p.id FROM planned p WHERE p.part_of IS NOT NULL AND NOT EXISTS
       (SELECT 1 FROM planned o JOIN wanted w ON w.id = o.id WHERE o.ref = p.part_of))`,
    `DELETE FROM wanted WHERE id IN (SELECT p.id FROM needs n JOIN planned o ON o.ref = n.need
       JOIN planned p ON p.ref = n.ref WHERE o.id NOT IN (SELECT id FROM wanted))`,
    `DELETE FROM wanted WHERE id IN (SELECT b.id FROM planned_back b, json_each(b.body, '$.needs') n
       JOIN planned o ON o.ref = n.value WHERE o.id NOT IN (SELECT id FROM wanted))`,
  ].map(run);
  const want = run('INSERT OR IGNORE INTO wanted VALUES ($id)');
  return {
    /**
     * Drops offices, tag categories and tags that no change needs any longer, because the records that referred to them
     * are held.
     */
    dropUnneeded: () => repeat([dropUnneeded]),
    /** Withholds changes that need a withheld one, and changes that only withheld ones need, to any depth. */
    propagateWithheld: () => repeat(blocks),
    /** Requests changes. A change that needs another one, or is a part of one, is only requested together with it. */
    want(ids: Iterable<string>): void {
      for (const id of ids) want({ id });
      repeat(dropDependents);
    },
  };
}

/** Repeats the statements until none of them changes anything. */
function repeat(statements: readonly (() => number)[]): void {
  while (statements.reduce((changed, statement) => changed + statement(), 0) > 0);
}

function createInOrder(sqlite: Sqlite) {
  const { all } = createStatements(sqlite);
  const pages = mapValues(FILTERS, (condition) =>
    all<PlannedChangeRow>(
      `SELECT ref, level, rank, withheld_by AS withheldBy, withheld_name AS withheldName, approval, body FROM planned
       WHERE (rank, level, ref) > ($rank, $level, $ref) AND ${condition} ORDER BY rank, level, ref LIMIT 500`,
    ),
  );
  return function* inOrder(filter: PlannedFilter): Iterable<PlannedChange> {
    for (const row of eachRow(pages[filter], { rank: -1, level: -1, ref: '' })) yield toPlanned(row);
  };
}

function createKeepOnly(sqlite: Sqlite, inOrder: ReturnType<typeof createInOrder>) {
  const { any, run } = createStatements(sqlite);
  const isKept = any('SELECT 1 FROM kept WHERE ref = $ref');
  const keep = run('INSERT OR IGNORE INTO kept VALUES ($ref)');
  const widen = [
    `INSERT OR IGNORE INTO kept
     WITH RECURSIVE needed (ref) AS (
       SELECT ref FROM kept UNION SELECT n.need FROM needed k CROSS JOIN needs n ON n.ref = k.ref)
     SELECT ref FROM needed`,
    'INSERT OR IGNORE INTO kept SELECT p.part_of FROM planned p JOIN kept k ON k.ref = p.ref WHERE p.part_of IS NOT NULL',
  ].map(run);
  const dropOthers = run('DELETE FROM planned WHERE ref NOT IN (SELECT ref FROM kept)');
  return {
    /** Keeps the changes that `wants` selects and everything that they need. Drops the rest of the plan. */
    keepOnly(wants: (change: Change) => boolean): void {
      for (const change of inOrder('all')) if (wants(change)) keep({ ref: `${change.entity}:${change.key}` });
      repeat(widen);
      dropOthers();
    },
    /** True if `keepOnly` kept the change, or if a kept change needs it. */
    isKept: (ref: string) => isKept({ ref }),
  };
}
