import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';

/** After this time, changing a value back no longer cancels the entry. */
const MEMORY_MS = 7 * 86_400_000;

/** One change to one object that was made without an approval. */
export interface CarriedOut {
  /** An entity, or `sources.hr` for a write-back. */
  readonly scope: string;
  /** The action that a guard counts: `deactivate`, `update`, `fields.title`, `overwrite`. */
  readonly what: string;
  /** Key of the record in the source or in the service. */
  readonly key: string;
}

/** Stores the earlier changes that guards count together with the run's own, and the totals for their percentages. */
export function createCarriedOutStore(sqlite: Sqlite) {
  const { all, run, value } = createStatements(sqlite);
  const add = run(
    `INSERT INTO carried_out (scope, what, key, before, run, at) VALUES ($scope, $what, $key, $before, $run, $at)
     ON CONFLICT DO UPDATE SET run = excluded.run, at = excluded.at,
       before = CASE WHEN carried_out.at < $oldest THEN excluded.before ELSE carried_out.before END`,
  );
  const remove = run('DELETE FROM carried_out WHERE scope = $scope AND what = $what AND key = $key');
  const removeReturned = run(
    'DELETE FROM carried_out WHERE scope = $scope AND what = $what AND key = $key AND before = $value',
  );
  const removeEmptied = run(
    `DELETE FROM carried_out WHERE scope = $scope AND what = 'update' AND key = $key
       AND NOT EXISTS (SELECT 1 FROM carried_out f WHERE f.scope = $scope AND f.key = $key AND f.what LIKE 'fields.%')`,
  );
  const lastCount = value<number>('SELECT count FROM head_counts WHERE scope = $scope ORDER BY at DESC LIMIT 1');
  const setCount = run('INSERT OR REPLACE INTO head_counts VALUES ($scope, $at, $count)');
  const countAt = value<number>(
    `SELECT count FROM head_counts WHERE scope = $scope ORDER BY at > $since, CASE WHEN at > $since THEN at END, at DESC LIMIT 1`,
  );
  return {
    /** @param before hash of the value that the change replaced */
    carryOut(one: CarriedOut, { before, at, run: name }: { before: string; at: string; run: string }): void {
      add({ ...one, before, run: name, at, oldest: new Date(Date.parse(at) - MEMORY_MS).toISOString() });
    },
    /** Removes a change that was undone, so that guards no longer count it. */
    takeBack: (one: CarriedOut) => void remove({ ...one }),
    /**
     * Cancels the change if `value` (a hash) equals the value before the first such change.
     * @returns true if the change was cancelled
     */
    takeBackTo: (one: CarriedOut, value: string): boolean => removeReturned({ ...one, value }) > 0,
    /** Drops an update if all of its fields were changed back. */
    dropEmptied: (scope: string, key: string) => void removeEmptied({ scope, key }),
    /** All rows, for tests and reports. */
    list: all<CarriedOut & { readonly run: string; readonly at: string }>(
      'SELECT scope, what, key, run, at FROM carried_out ORDER BY scope, what, key',
    ),
    /** Stores the number of linked and active objects if it has changed. */
    noteCount(scope: string, count: number, at: string): void {
      if (lastCount({ scope }) !== count) setCount({ scope, at, count });
    },
    /** The count at a given time, or the first count after it; null if there is no count. */
    countAt: (scope: string, since: string) => countAt({ scope, since }),
  };
}
