import type { Entity } from '../../model/entity.js';
import { objectOf } from '../../model/json.js';
import type { AuditEntry } from '../../store/audit/audit-entry.js';
import { parseRow } from '../../store/audit/audit-log.js';
import type { AuditStore } from '../../store/state/audit-store.js';

/** One past change of an object. */
export interface HistoryLine {
  /** ISO 8601. */
  readonly at: string;
  readonly run: string;
  /** `joined`, `moved`, `left`, `returned`, or the action if none of these applies. */
  readonly what: string;
  /** The changed fields. */
  readonly fields: readonly string[];
}

/** Maximum number of lines. The newest lines are kept. */
const TOLD = 10;

const WORDS: Readonly<Record<string, string>> = {
  create: 'joined',
  update: 'moved',
  deactivate: 'left',
  delete: 'deleted',
  reactivate: 'returned',
  relink: 'linked to another key',
};

/** The changes of one object in the audit, newest first, with the runs in which the person joined, moved and left. */
export function listHistory(audit: AuditStore, entity: Entity, key: string): readonly HistoryLine[] {
  const lines: HistoryLine[] = [];
  for (const row of audit.rowsNaming(JSON.stringify(key))) {
    const entry = parseRow(row);
    if (entry?.kind !== 'change' || entry.entity !== entity || entry.key !== key || !HAPPENED.has(entry.result))
      continue;
    const { at, run, action } = entry;
    const fields =
      action === 'create' ? [] : Object.keys(objectOf(entry.after)).filter((name) => name !== 'deactivated');
    lines.push({ at, run, what: WORDS[action] ?? action, fields });
    if (lines.length === TOLD) break;
  }
  return lines;
}

const HAPPENED: ReadonlySet<AuditEntry['result']> = new Set(['done', 'not taken', 'in part']);
