import type { AuditStore } from '../state/audit-store.js';
import { parseRow } from './audit-log.js';
import type { DecidedRecord, OfRecords } from './events.js';
import { contentOf } from './log-filter.js';

/** Maximum number of records in one entry, so that every search of the log stays fast. */
const MOST_RECORDS = 500;

/** A change in a saved plan. */
export type PlannedRecord = Omit<DecidedRecord, 'change'> & { readonly id: string };

/** Names the objects of some changes of a plan. */
export function recordsOf(planned: readonly PlannedRecord[], changes: readonly string[]): OfRecords {
  const wanted = new Set(changes);
  return describeRecords(
    planned
      .filter(({ id }) => wanted.has(id))
      .map(({ id: change, entity, key, action, label }) => ({ change, entity, key, action, label })),
  );
}

/** Names the objects of some changes of an earlier decision, as the entry about that decision named them. */
export function recordsDecided(audit: AuditStore, decision: string, changes: readonly string[]): OfRecords {
  const wanted = new Set(changes);
  for (const row of audit.rowsNaming(JSON.stringify(decision))) {
    const line = parseRow(row);
    const content = line === null ? null : contentOf(line);
    if (content === null || !('records' in content)) continue;
    const found = content.records?.filter(({ change }) => wanted.has(change)) ?? [];
    if (found.length > 0) return describeRecords(found);
  }
  return {};
}

function describeRecords(all: readonly DecidedRecord[]): OfRecords {
  return all.length === 0 ? {} : { records: all.slice(0, MOST_RECORDS) };
}
