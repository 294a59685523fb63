import type { Sqlite } from '../sqlite.js';
import { columnsOf, createStatements, type RowOf } from '../statements.js';
import { heldChanges } from './state-schema.js';

/** A change that a guard has held and nobody has decided on yet. `field` is empty for changes other than updates. */
export type HeldChange = Omit<RowOf<typeof heldChanges>, 'approval'>;

/** Stores changes that need approval. They stay held in later runs, even if the total falls below the limit. */
export function createHeldChangeStore(sqlite: Sqlite) {
  const { all, one, run, values } = createStatements(sqlite);
  const add = run(
    `INSERT INTO held_changes (guard, scope, key, field, run, at) VALUES ($guard, $scope, $key, $field, $run, $at)
     ON CONFLICT DO UPDATE SET approval = NULL`,
  );
  const release = run(
    'UPDATE held_changes SET approval = $approval WHERE guard = $guard AND scope = $scope AND key = $key',
  );
  const releaseAll = run(
    'UPDATE held_changes SET approval = $decision WHERE scope = $scope AND key = $key AND field = $field',
  );
  const forgetReleased = run('DELETE FROM held_changes WHERE scope = $scope AND key = $key AND approval = $decision');
  const forget = run(
    `DELETE FROM held_changes WHERE scope = $scope AND key = $key
       AND ($guard IS NULL OR guard = $guard) AND ($field IS NULL OR field = $field)`,
  );
  const fieldsOf = values<string>(
    `SELECT DISTINCT field FROM held_changes WHERE guard = $guard AND field <> '' ORDER BY field`,
  );
  const first = one<{ run: string; at: string }>(
    'SELECT run, at FROM held_changes WHERE guard = $guard ORDER BY at LIMIT 1',
  );
  return {
    /** Stores changes. Known changes keep their first run and time. */
    remember(changes: Iterable<HeldChange>): void {
      for (const change of changes) add(change);
    },
    /** Notes that an approval covers the change. While the approval is valid, the change is not pending. */
    release: (guard: string, scope: string, key: string, approval: string) =>
      void release({ guard, scope, key, approval }),
    /** Notes that a decline covers the change for all guards. While the decline is valid, the change is not pending. */
    releaseAll: (scope: string, key: string, field: string, decision: string) =>
      void releaseAll({ scope, key, field, decision }),
    /** Forgets changes covered by a decline that ended without a decision, so they are no longer pending. */
    forgetReleased: (scope: string, key: string, decision: string) => void forgetReleased({ scope, key, decision }),
    /**
     * Forgets a change that was decided or is no longer needed. Without a guard or field, forgets all changes of the
     * record.
     */
    forget: (
      scope: string,
      key: string,
      { guard = null, field = null }: { guard?: string | null; field?: string | null } = {},
    ) => void forget({ scope, key, guard, field }),
    all: all<RowOf<typeof heldChanges>>(
      `SELECT ${columnsOf(heldChanges)} FROM held_changes ORDER BY guard, scope, key, field`,
    ),
    /** The guard's oldest change that is still stored. */
    first: (guard: string) => first({ guard }) ?? { run: '', at: '' },
    /** The fields of updates that the guard has held. */
    fieldsOf: (guard: string) => fieldsOf({ guard }),
    guards: values<string>('SELECT DISTINCT guard FROM held_changes ORDER BY guard'),
  };
}
