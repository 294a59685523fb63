import type { AuditStore } from '../store/state/audit-store.js';
import type { AuditEntry } from './audit-log.js';
import type { AuditEvent, SourceWritten } from './events.js';

/** What one run did, oldest first; erased entries are left out. */
export function* readRunEntries(store: Pick<AuditStore, 'rows'>, run: string): Iterable<AuditEntry> {
  for (const entry of readRunLines(store, run)) if (entry.kind === 'change') yield entry;
}

/** What the sources were told by it. */
export function* readRunWrites(store: Pick<AuditStore, 'rows'>, run: string): Iterable<SourceWritten> {
  for (const entry of readRunLines(store, run)) if (entry.kind === 'source told') yield entry;
}

function* readRunLines(store: Pick<AuditStore, 'rows'>, run: string): Iterable<AuditEntry | SourceWritten> {
  // Looked for in the text first: of a log of years only the entries that may be meant are parsed.
  const mark = JSON.stringify(run);
  for (const { entry } of store.rows()) {
    if (entry === null || !entry.includes(mark)) continue;
    const parsed = JSON.parse(entry) as AuditEntry | AuditEvent;
    if ((parsed.kind === 'change' || parsed.kind === 'source told') && parsed.run === run) yield parsed;
  }
}
