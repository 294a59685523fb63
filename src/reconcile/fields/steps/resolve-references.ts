import { holdRecord } from '../../hold-record.js';
import type { Draft } from '../draft.js';
import type { RecordDraft } from '../record-draft.js';
import { resolveNames } from '../references.js';

/** A name that means nothing would refuse the whole call: it is left out, or what it names is made first. */
export function resolveReferences(draft: Draft): void {
  const { after, unresolved, needs } = resolveNames(draft.after, draft);
  draft.after = after;
  draft.unresolved = unresolved;
  draft.needs = needs;
}

/** The rest goes on without them; they heal by themselves once the names are there. */
export function holdUnresolved(draft: RecordDraft): void {
  for (const { field, reason, remedy } of draft.unresolved)
    holdRecord(draft, 'SYNC_REFERENCE_UNKNOWN', { reason: `${field}: ${reason}`, remedy }, draft.ports);
}
