import type { Action, Entity } from '../../model/entity.js';
import { type ReasonKind, SOURCE_KEY, type Withheld } from '../../model/plan.js';
import type { Sqlite } from '../sqlite.js';

/** What of the plan in the making is approved, counted by the guards, and set aside. */
export interface WithheldStore {
  approveId(id: string, approval: string): void;
  /** Changes of one kind that nobody has approved. */
  countUnapproved(entity: Entity, action: Action): number;
  /** Creates that have not led to a link, but for those keys, and for what is not to be made now. */
  unlinkedCreates(entity: Entity, besides: readonly string[]): number;
  /** Sets all unapproved changes of one kind aside; answers how many. */
  withhold(entity: Entity, action: Action, withheld: Withheld): number;
  /** Field → updates that touch it and that nobody has approved; with `all`, the approved ones too. */
  touchedFields(entity: Entity, which: 'all' | 'unapproved'): ReadonlyMap<string, number>;
  /** Sets all unapproved updates that touch a field aside; one that another guard holds already waits for both. */
  withholdField(entity: Entity, field: string, guard: string): number;
  /** `users.absent` → deactivations and deletions for that reason: all, or those that nobody has approved and nothing holds. */
  removalReasons(which: 'all' | 'unapproved'): ReadonlyMap<string, number>;
  withholdReason(entity: Entity, kind: ReasonKind, guard: string): number;
  /** Sets one change aside until a time that `name` tells, approved or not. */
  pause(ref: string, name: string): void;
  /** Every change, on both sides, approved or not; answers how many. */
  withholdAll(guard: string): number;
  /** Sets single changes aside, unless they are approved; answers how many. */
  withholdRefs(refs: Iterable<string>, guard: string): number;
}

/** A relink that takes an account into use again is a reactivation too. */
export const REOPENS = `(action = 'relink' AND json_extract(body, '$.after.deactivated') = 0)`;
const IS_OF = `(action = @action OR (@action = 'reactivate' AND ${REOPENS}))`;
/** Updates, and of a relink what it writes besides the key. */
const WRITES_FIELD = `(p.action = 'update' OR (p.action = 'relink' AND f.value NOT IN ('${SOURCE_KEY}', 'external_unique_id', 'deactivated')))`;

export function createWithheldStore(sqlite: Sqlite): WithheldStore {
  const unapproved = sqlite
    .prepare<[{ entity: string; action: string }], number>(
      `SELECT count(*) FROM planned WHERE entity = @entity AND ${IS_OF} AND approval IS NULL AND withheld_by IS NULL`,
    )
    .pluck();
  const unlinkedCreates = sqlite
    .prepare<[string, string], number>(
      `SELECT count(*) FROM planned p WHERE p.entity = ? AND p.action = 'create' AND p.derived = 0
         AND (p.withheld_by IS NULL OR p.withheld_by = 'guard')
         AND NOT EXISTS (SELECT 1 FROM state.links l WHERE l.entity = p.entity AND l.source_key = json_extract(p.body, '$.key'))
         AND json_extract(p.body, '$.key') NOT IN (SELECT value FROM json_each(?))`,
    )
    .pluck();
  const approve = sqlite.prepare('UPDATE planned SET approval = ? WHERE id = ?');
  const withhold = sqlite.prepare(
    `UPDATE planned SET withheld_by = ?, withheld_name = ?
     WHERE entity = ? AND action = ? AND approval IS NULL AND withheld_by IS NULL`,
  );
  const touched = sqlite.prepare<[string, number], { field: string; n: number }>(
    `SELECT f.value AS field, count(*) AS n FROM planned p, json_each(p.body, '$.fields') f
     WHERE p.entity = ? AND ${WRITES_FIELD} AND (? OR (p.approval IS NULL AND p.withheld_by IS NULL))
     GROUP BY f.value ORDER BY f.value`,
  );
  // A change that several guards hold waits for all of them: to approve a new title is not to approve a new name.
  const hold = (condition: string) =>
    sqlite.prepare(
      `UPDATE planned SET withheld_by = 'guard',
         withheld_name = CASE WHEN withheld_name IS NULL THEN @guard ELSE withheld_name || ' + ' || @guard END
       WHERE approval IS NULL AND (withheld_by IS NULL OR withheld_by = 'guard') AND ${condition}`,
    );
  const holdField = hold(
    `entity = @entity AND EXISTS (SELECT 1 FROM planned p, json_each(p.body, '$.fields') f
       WHERE p.ref = planned.ref AND f.value = @field AND ${WRITES_FIELD})`,
  );
  const holdReopening = hold(`entity = @entity AND ${REOPENS}`);
  const holdReason = hold(`entity = @entity AND json_extract(body, '$.reason.kind') = @kind`);
  const pause = sqlite.prepare("UPDATE planned SET withheld_by = 'pause', withheld_name = ? WHERE ref = ?");
  const holdRef = hold('ref = @ref');
  const holdAll = ['planned', 'planned_back'].map((table) =>
    sqlite.prepare(`UPDATE ${table} SET withheld_by = 'guard', withheld_name = ?, approval = NULL`),
  );
  const ofReasons = sqlite.prepare<[number], { name: string; n: number }>(
    `SELECT entity || '.' || json_extract(body, '$.reason.kind') AS name, count(*) AS n FROM planned
     WHERE action IN ('deactivate', 'delete') AND (? OR (approval IS NULL AND withheld_by IS NULL))
     GROUP BY name ORDER BY name`,
  );
  return {
    approveId: (id, approval) => void approve.run(approval, id),
    countUnapproved: (entity, action) => unapproved.get({ entity, action }) ?? 0,
    withhold(entity, action, { by, name }) {
      const held = withhold.run(by, name, entity, action).changes;
      return action === 'reactivate' ? held + holdReopening.run({ entity, guard: name }).changes : held;
    },
    unlinkedCreates: (entity, besides) => unlinkedCreates.get(entity, JSON.stringify(besides)) ?? 0,
    touchedFields: (entity, which) =>
      new Map(touched.all(entity, which === 'all' ? 1 : 0).map(({ field, n }) => [field, n])),
    withholdField: (entity, field, guard) => holdField.run({ entity, field, guard }).changes,
    removalReasons: (which) => new Map(ofReasons.all(which === 'all' ? 1 : 0).map(({ name, n }) => [name, n])),
    withholdReason: (entity, kind, guard) => holdReason.run({ entity, kind, guard }).changes,
    withholdAll: (guard) => holdAll.reduce((held, statement) => held + statement.run(guard).changes, 0),
    pause: (ref, name) => void pause.run(name, ref),
    withholdRefs(refs, guard) {
      let held = 0;
      for (const ref of refs) held += holdRef.run({ ref, guard }).changes;
      return held;
    },
  };
}
