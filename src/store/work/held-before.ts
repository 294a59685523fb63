import type { Sqlite } from '../sqlite.js';
import type { HeldChange } from '../state/held-change-store.js';
import { createStatements } from '../statements.js';
import { reopensIn, WRITES_FIELD } from './withheld-store.js';

/** Number of rows to process before yielding to other work. */
const AT_A_TIME = 2_000;

/** The part of the guard's name after the scope: `deactivate`, `fields.title`, `out_of_scope`. */
const PART = `substr(h.guard, length(h.scope) + 2)`;
/** True if a planned change `p` is the same change as the held one `h`, even if its values differ now. */
const IS_THE_SAME = `
  CASE WHEN h.field <> '' THEN
    EXISTS (SELECT 1 FROM json_each(p.body, '$.fields') f WHERE f.value = h.field AND ${WRITES_FIELD})
  ELSE CASE ${PART}
    WHEN 'absent_since_edit' THEN p.action IN ('deactivate', 'delete')
    WHEN 'out_of_scope' THEN p.action IN ('deactivate', 'delete')
    WHEN 'promote' THEN p.action <> 'deactivate' AND p.body ->> '$.power' IS NOT NULL
    WHEN 'internationalmanager' THEN p.action = 'deactivate' AND p.body ->> '$.power' IS NOT NULL
    WHEN 'free_value' THEN json_extract(p.body, '$.reason.kind') = 'freed'
    WHEN 'reactivate' THEN p.action = 'reactivate' OR ${reopensIn('p')}
    ELSE p.action = ${PART} END END`;
const HELD = `state.held_changes h CROSS JOIN planned p ON p.ref = h.scope || ':' || h.key`;
const HELD_BACK = `state.held_changes h CROSS JOIN planned_back p ON p.source = substr(h.scope, 9) AND p.record = h.key`;
const IS_THE_CELL = `p.overwrites = 1 AND EXISTS (SELECT 1 FROM json_each(p.body, '$.cells') c WHERE c.value ->> 'column' = h.field)`;
/** True if no valid approval or decline covers the held change. */
const IS_OPEN = '(h.approval IS NULL OR h.approval NOT IN (SELECT value FROM json_each($inForce)))';
const LACKS_GUARD = `(p.withheld_by IS NULL OR (p.withheld_by = 'guard' AND ' + ' || p.withheld_name || ' + ' NOT LIKE '% ' || $guard || ' %'))`;
const GUARDS = `json_each('["' || replace(p.withheld_name, ' + ', '","') || '"]') g`;
/** The fields of an update that a guard holds. Other changes have one empty field. */
const FIELDS = `json_each(CASE
  WHEN g.value LIKE p.entity || '.fields.%' THEN json_array(substr(g.value, length(p.entity) + 9))
  WHEN g.value IN (p.entity || '.update', p.entity || '.shifted') THEN json_extract(p.body, '$.fields')
  ELSE '[""]' END) f`;

type KnownHeld = Pick<HeldChange, 'guard' | 'scope' | 'key' | 'field'>;

/** Compares changes held by earlier runs with the changes of this plan. */
export function createHeldBefore(sqlite: Sqlite) {
  const { all, any, run, value } = createStatements(sqlite);
  const isAny = any('SELECT 1 FROM state.held_changes');
  const hold = [
    run(
      `UPDATE planned SET withheld_by = 'guard',
         withheld_name = CASE WHEN withheld_name IS NULL THEN $guard ELSE withheld_name || ' + ' || $guard END
       WHERE rowid IN (SELECT p.rowid FROM ${HELD}
         WHERE h.guard = $guard AND ${IS_OPEN} AND p.approval IS NULL AND ${LACKS_GUARD} AND ${IS_THE_SAME})`,
    ),
    run(
      `UPDATE planned_back SET withheld_by = 'guard', withheld_name = $guard
       WHERE id IN (SELECT p.id FROM ${HELD_BACK}
         WHERE h.guard = $guard AND ${IS_OPEN} AND p.approval IS NULL AND p.withheld_by IS NULL AND ${IS_THE_CELL})`,
    ),
  ];
  const last = value<number>('SELECT max(rowid) FROM planned');
  const isNew =
    'NOT EXISTS (SELECT 1 FROM state.held_changes k WHERE k.guard = g.value AND k.field = f.value AND k.approval IS NULL';
  const found = all<KnownHeld>(
    `SELECT g.value AS guard, p.entity AS scope, substr(p.ref, length(p.entity) + 2) AS key, f.value AS field
     FROM planned p, ${GUARDS}, ${FIELDS}
     WHERE p.withheld_by = 'guard' AND p.rowid > $after AND p.rowid <= $upTo
       AND ${isNew} AND k.scope = p.entity AND k.key = substr(p.ref, length(p.entity) + 2))`,
  );
  const foundBack = all<KnownHeld>(
    `SELECT g.value AS guard, 'sources.' || p.source AS scope, p.record AS key, f.value AS field
     FROM planned_back p, ${GUARDS}, json_each((SELECT json_group_array(c.value ->> 'column') FROM json_each(p.body, '$.cells') c)) f
     WHERE p.withheld_by = 'guard' AND ${isNew} AND k.scope = 'sources.' || p.source AND k.key = p.record)`,
  );
  const over = all<KnownHeld & { readonly row: number }>(
    `SELECT h.rowid AS row, h.guard, h.scope, h.key, h.field FROM state.held_changes h WHERE h.rowid > $row
       AND NOT EXISTS (SELECT 1 FROM planned p WHERE p.ref = h.scope || ':' || h.key AND (${IS_THE_SAME}))
       AND NOT EXISTS (SELECT 1 FROM planned_back p WHERE p.source = substr(h.scope, 9) AND p.record = h.key AND ${IS_THE_CELL})
       AND NOT EXISTS (SELECT 1 FROM held o WHERE o.entity = h.scope AND o.key = h.key)
     ORDER BY h.rowid LIMIT ${AT_A_TIME}`,
  );
  return {
    isAnyHeldBefore: () => isAny(),
    /**
     * Holds changes again that a guard held before and nobody has decided on. Returns their number.
     *
     * @param inForce ids of the valid decisions
     */
    holdAgain(guard: string, inForce: readonly string[]): number {
      const named = { guard, inForce: JSON.stringify(inForce) };
      return hold.reduce((held, statement) => held + statement(named), 0);
    },
    /** Yields changes that this plan holds and no earlier plan held, in pages. */
    *newlyHeld(): Generator<readonly KnownHeld[], void> {
      for (let after = 0; after < (last() ?? 0); after += AT_A_TIME) yield found({ after, upTo: after + AT_A_TIME });
      yield foundBack();
    },
    /** Yields earlier holds with a change that this plan does not contain, in pages. */
    *heldNoMore(): Generator<readonly KnownHeld[], void> {
      for (let row = 0; ; ) {
        const rows = over({ row });
        if (rows.length === 0) return;
        yield rows;
        row = rows.at(-1)?.row ?? row;
      }
    },
  };
}
