import { holdRecord } from '../../hold-record.js';
import type { RecordDraft } from '../record-draft.js';

/** The rest goes on without them; they heal by themselves once the names are there. */
export function holdUnresolved(draft: RecordDraft): void {
  for (const { field, reason, remedy } of draft.unresolved)
    holdRecord(draft, 'SYNC_REFERENCE_UNKNOWN', { reason: `${field}: ${reason}`, remedy }, draft.ports);
}
