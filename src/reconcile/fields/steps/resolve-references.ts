import { FIELDS } from '../../../model/fields.js';
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
  for (const { field, reason, remedy } of draft.unresolved) {
    const alone = isNeeded(draft, field) ? {} : { field };
    holdRecord(draft, 'SYNC_REFERENCE_UNKNOWN', { reason: `${field}: ${reason}`, remedy, ...alone }, draft.ports);
  }
}

/** Without it the object is not made at all (`requireFields`): the whole record waits. */
function isNeeded({ entity, action, after }: RecordDraft, field: string): boolean {
  const [name = ''] = field.split('.');
  return action === 'create' && FIELDS[entity][name]?.required === true && after[name] === undefined;
}
