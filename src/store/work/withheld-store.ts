import type { Action, Entity } from '../../model/entity.js';
import { type EarlierChanges, type ReasonKind, SOURCE_KEY, type Withheld } from '../../model/plan.js';
import { sha256 } from '../../model/sha256.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';

/** A relink that reactivates an account also counts as a reactivation. */
export const reopensIn = (table: string): string =>
  `(${table}.action = 'relink' AND json_extract(${table}.body, '$.after.deactivated') = 0)`;
export const REOPENS = reopensIn('planned');
const IS_OF = `action IN ($action, CASE $action WHEN 'reactivate' THEN 'relink' END) AND (action = $action OR ${REOPENS})`;
/** Updates, and the fields that a relink writes apart from the key. */
export const WRITES_FIELD = `(p.action = 'update' OR (p.action = 'relink' AND f.value NOT IN ('${SOURCE_KEY}', 'external_unique_id', 'deactivated')))`;

/** Number of changes to process before yielding to other work. */
const AT_A_TIME = 10_000;

/** Stores which planned changes are approved, counted by guards, or set aside. */
export function createWithheldStore(sqlite: Sqlite) {
  const { all, any, run, value, values } = createStatements(sqlite);
  const approve = run('UPDATE planned SET approval = $approval WHERE id = $id');
  const approveAnswer = run('UPDATE planned SET approval = $approval WHERE answer = $id');
  const noteAnswer = run(
    'UPDATE planned SET approval = $approval WHERE id = $id AND approval IS NULL AND withheld_by IS NULL',
  );
  const withhold = run(
    `UPDATE planned SET withheld_by = $by, withheld_name = $name
     WHERE entity = $entity AND action = $action AND approval IS NULL AND withheld_by IS NULL`,
  );
  // A change that several guards hold needs approval for all of them. Approving a new title does not approve a new
  // name.
  const hold = (condition: string) =>
    run(
      `UPDATE planned AS p SET withheld_by = 'guard',
         withheld_name = CASE WHEN withheld_name IS NULL THEN $guard ELSE withheld_name || ' + ' || $guard END
       WHERE approval IS NULL AND (withheld_by IS NULL OR withheld_by = 'guard') AND ${condition}`,
    );
  const holdField = hold(
    `rowid > $after AND rowid <= $upTo AND +entity = $entity
       AND EXISTS (SELECT 1 FROM json_each(p.body, '$.fields') f WHERE f.value = $field AND ${WRITES_FIELD})`,
  );
  const last = value<number>('SELECT max(rowid) FROM planned');
  const holdReopening = hold(`entity = $entity AND ${reopensIn('p')}`);
  const holdReason = hold(`entity = $entity AND json_extract(body, '$.reason.kind') = $kind`);
  const holdRef = hold('ref = $ref');
  const TAKES = `(action IN ('deactivate', 'delete', 'relink') OR json_extract(body, '$.reason.kind') = 'freed')`;
  const holdTaking = hold(TAKES);
  const takesAnything = any(`SELECT 1 FROM planned WHERE ${TAKES}`);
  const IS_HELD_BY = `withheld_by = 'guard' AND ' + ' || withheld_name || ' + ' LIKE '% ' || $guard || ' %'`;
  const named = ['planned', 'planned_back'].map((table) =>
    values<string>(`SELECT id FROM ${table} WHERE ${IS_HELD_BY} ORDER BY id`),
  );
  const holders = values<string>(`SELECT DISTINCT withheld_name FROM planned WHERE ${IS_HELD_BY}`);
  const known = all<{ id: string; planned: 0 | 1 }>(
    `SELECT change_id AS id, change_id IN (SELECT id FROM planned UNION ALL SELECT answer FROM planned
       WHERE answer IS NOT NULL UNION ALL SELECT id FROM planned_back) AS planned
     FROM state.approvals ORDER BY change_id`,
  );
  const pause = run("UPDATE planned SET withheld_by = 'pause', withheld_name = $name WHERE ref = $ref");
  const setAside = run('INSERT OR REPLACE INTO set_aside VALUES ($ref, $by, $name)');
  const withholdSetAside = run(
    `UPDATE planned SET withheld_by = s.by, withheld_name = s.name FROM set_aside s WHERE s.ref = planned.ref`,
  );
  const holdAll = ['planned', 'planned_back'].map((table) =>
    run(`UPDATE ${table} SET withheld_by = 'guard', withheld_name = $guard, approval = NULL`),
  );
  return {
    ...createGuardCounts(sqlite),
    approveId: (id: string, approval: string) => void approve({ id, approval }),
    /** Approves the changes that an answer creates instead of the question. */
    approveAnswer: (id: string, approval: string) => void approveAnswer({ id, approval }),
    /**
     * Approves a change that nothing holds any longer because its identity was decided. Call it after the guards have
     * counted.
     */
    noteAnswer: (id: string, approval: string) => void noteAnswer({ id, approval }),
    /** The ids of the approved changes, and if the plan contains each of them. */
    approvedIds: (): readonly { readonly id: string; readonly planned: boolean }[] =>
      known().map(({ id, planned }) => ({ id, planned: planned === 1 })),
    /** Sets aside all unapproved changes of one kind and returns their number. */
    withhold(entity: Entity, action: Action, { by, name }: Withheld): number {
      const held = withhold({ entity, action, by, name });
      return action === 'reactivate' ? held + holdReopening({ entity, guard: name }) : held;
    },
    /**
     * Sets aside all unapproved updates of a field. A change that another guard already holds then needs approval for
     * both.
     */
    *withholdField(entity: Entity, field: string, guard: string): Generator<void, number> {
      let held = 0;
      for (let after = 0; after < (last() ?? 0); after += AT_A_TIME) {
        held += holdField({ entity, field, guard, after, upTo: after + AT_A_TIME });
        yield;
      }
      return held;
    },
    /** Holds every unapproved change that removes something from an object. */
    withholdTaking: (guard: string) => holdTaking({ guard }),
    takesAnything: () => takesAnything(),
    withholdReason: (entity: Entity, kind: ReasonKind, guard: string) => holdReason({ entity, kind, guard }),
    /** Holds every change on both sides, approved or not, and returns their number. */
    withholdAll: (guard: string) => holdAll.reduce((held, statement) => held + statement({ guard }), 0),
    /** A digest of all changes that a guard holds. It changes whenever these changes do. */
    nameWithheld: (guard: string) => sha256(named.flatMap((ids) => ids({ guard })).join('')),
    /** All guards that must be approved together; only this guard if its approval alone releases any change. */
    guardsWith(guard: string): readonly string[] {
      const all = holders({ guard });
      return all.length === 0 || all.includes(guard)
        ? [guard]
        : [...new Set(all.flatMap((one) => one.split(' + ')))].sort();
    },
    /** Number of planned changes on both sides that a guard holds. */
    countWithheld: (guard: string) => named.flatMap((ids) => ids({ guard })).length,
    /** Marks a change to be set aside once everything is derived, because it may be planned again until then. */
    setAside: (ref: string, { by, name }: Withheld) => void setAside({ ref, by, name }),
    /** Sets aside the changes marked by `setAside`. */
    withholdSetAside: () => withholdSetAside(),
    /** Sets aside one change, approved or not, until the time in `name`. */
    pause: (ref: string, name: string) => void pause({ ref, name }),
    /** Sets aside the given changes unless they are approved, and returns their number. */
    withholdRefs(refs: Iterable<string>, guard: string): number {
      let held = 0;
      for (const ref of refs) held += holdRef({ ref, guard });
      return held;
    },
  };
}

function createGuardCounts(sqlite: Sqlite) {
  const { all, count } = createStatements(sqlite);
  const unapproved = count(
    `SELECT count(*) FROM planned WHERE entity = $entity AND ${IS_OF} AND approval IS NULL AND withheld_by IS NULL`,
  );
  const unlinkedCreates = count(
    `SELECT count(*) FROM planned p WHERE p.entity = $entity AND p.action = 'create' AND p.derived = 0
       AND (p.withheld_by IS NULL OR p.withheld_by = 'guard')
       AND NOT EXISTS (SELECT 1 FROM state.links l WHERE l.entity = p.entity AND l.source_key = json_extract(p.body, '$.key'))
       AND json_extract(p.body, '$.key') NOT IN (SELECT value FROM json_each($besides))`,
  );
  const touched = all<{ name: string; n: number }>(
    `SELECT f.value AS name, count(*) AS n FROM planned p, json_each(p.body, '$.fields') f
     WHERE p.entity = $entity AND ${WRITES_FIELD} AND ($all OR (p.approval IS NULL AND p.withheld_by IS NULL))
     GROUP BY f.value ORDER BY f.value`,
  );
  // Each object counts once. An object that this run changes in the same way is already counted in this run.
  const earlier = all<{ run: string; n: number }>(
    `SELECT c.run, count(*) AS n FROM state.carried_out c WHERE c.scope = $scope AND c.what = $what AND c.at > $since
       AND NOT EXISTS (SELECT 1 FROM planned p WHERE p.ref = c.scope || ':' || c.key AND p.approval IS NULL AND CASE
         WHEN $what LIKE 'promote%' THEN p.body ->> '$.power' IS NOT NULL
         WHEN $field IS NULL THEN p.action = $what OR ($what = 'reactivate' AND p.action = 'relink')
         ELSE EXISTS (SELECT 1 FROM json_each(p.body, '$.fields') f WHERE f.value = $field) END)
       AND NOT EXISTS (SELECT 1 FROM planned_back b
         WHERE b.source = substr(c.scope, 9) AND b.record = c.key AND b.overwrites = 1 AND b.approval IS NULL)
     GROUP BY c.run ORDER BY c.run DESC`,
  );
  const ofReasons = all<{ name: string; n: number }>(
    `SELECT entity || '.' || json_extract(body, '$.reason.kind') AS name, count(*) AS n FROM planned
     WHERE action IN ('deactivate', 'delete') AND ($all OR (approval IS NULL AND withheld_by IS NULL))
     GROUP BY name ORDER BY name`,
  );
  const toCounts = (rows: readonly { readonly name: string; readonly n: number }[]): ReadonlyMap<string, number> =>
    new Map(rows.map(({ name, n }) => [name, n]));
  return {
    /** Number of unapproved changes of one kind. */
    countUnapproved: (entity: Entity, action: Action) => unapproved({ entity, action }),
    /** Number of creates without a link. Creates of the given keys, and changes not made now, do not count. */
    unlinkedCreates: (entity: Entity, besides: readonly string[]) =>
      unlinkedCreates({ entity, besides: JSON.stringify(besides) }),
    /**
     * Counts one kind of change that earlier runs made without approval since a given time (ISO 8601). Objects that
     * this run changes do not count.
     *
     * @param scope an entity, or `sources.hr`
     * @param what the kind of change: `deactivate`, `fields.title`, `overwrite`
     */
    carriedOutSince(scope: string, what: string, since: string): EarlierChanges {
      const rows = earlier({ scope, what, since, field: /^fields\.(.+)$/.exec(what)?.[1] ?? null });
      return { changes: rows.reduce((sum, { n }) => sum + n, 0), runs: rows.map(({ run: name }) => name) };
    },
    /** Number of unapproved updates that change each field; `all` includes approved ones. */
    touchedFields: (entity: Entity, which: 'all' | 'unapproved') =>
      toCounts(touched({ entity, all: which === 'all' ? 1 : 0 })),
    /**
     * Number of deactivations and deletions per reason, such as `users.absent`. All of them, or only those neither
     * approved nor held.
     */
    removalReasons: (which: 'all' | 'unapproved') => toCounts(ofReasons({ all: which === 'all' ? 1 : 0 })),
  };
}
