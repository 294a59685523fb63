import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';

/**
 * Age after which rows are deleted. It covers a quarter and the longest window of a guard (30 days), and fits a small
 * volume.
 */
const KEPT_MS = 90 * 86_400_000;
/** Number of runs whose complete result is kept. Older runs keep only their times and exit codes. */
const KEPT_RESULTS = 200;

/**
 * Keeps state.db from growing indefinitely. It never deletes links, absences, open intents, the newest complete read of
 * a source, or the newest successful run. Separate rules apply to the audit log and expired approvals
 * (`store/audit/keep-audit.ts`).
 */
export function forgetOld(sqlite: Sqlite, nowMs: number): void {
  const { run } = createStatements(sqlite);
  const before = new Date(nowMs - KEPT_MS).toISOString();
  const statements = [
    `DELETE FROM runs WHERE ended_at < $before AND id NOT IN
       (SELECT id FROM runs WHERE exit_code IN (0, 3, 4) ORDER BY ended_at DESC LIMIT 1)`,
    `UPDATE runs SET result = NULL WHERE result IS NOT NULL AND id NOT IN
       (SELECT id FROM runs ORDER BY started_at DESC, id DESC LIMIT ${KEPT_RESULTS})`,
    'DELETE FROM reads WHERE read_at < $before AND seq NOT IN (SELECT max(seq) FROM reads WHERE complete = 1 GROUP BY source)',
    "DELETE FROM journal WHERE status <> 'intent' AND observed IS NULL AND outcome_at < $before",
    'DELETE FROM carried_out WHERE at < $before',
    // The newest count before that date is the count at the start of every window.
    `DELETE FROM head_counts WHERE at < $before AND EXISTS
       (SELECT 1 FROM head_counts n WHERE n.scope = head_counts.scope AND n.at > head_counts.at AND n.at < $before)`,
  ];
  for (const sql of statements) run(sql)({ before });
}
