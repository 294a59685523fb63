import { FIELDS } from '../../../model/fields.js';
import { holdRecord } from '../../hold-record.js';
import type { Draft } from '../draft.js';
import type { RecordDraft } from '../record-draft.js';
import { resolveNames } from '../references.js';

/** An unknown name would make the service reject the entire call. The name is left out, or its object is created first. */
export function resolveReferences(draft: Draft): void {
  const { after, unresolved, needs } = resolveNames(draft.after, draft);
  draft.after = after;
  draft.unresolved = unresolved;
  draft.needs = needs;
}

/** Holds names that cannot be resolved. The other parts are planned; a later run sends the names once they exist. */
export function holdUnresolved(draft: RecordDraft): void {
  for (const { field, reason, remedy } of draft.unresolved) {
    const alone = isNeeded(draft, field) ? {} : { field };
    holdRecord(draft, 'SYNC_REFERENCE_UNKNOWN', { reason: `${field}: ${reason}`, remedy, ...alone }, draft.ports);
  }
}

/**
 * True if the object cannot be created without the field (`requireFields`), because the service would reject it, or
 * would not accept the field later. The entire record then waits.
 */
export function isNeeded({ entity, action, after }: RecordDraft, path: string): boolean {
  const [name = ''] = path.split('.');
  const field = FIELDS[entity][name];
  return action === 'create' && (field?.createOnly === true || (field?.required === true && after[name] === undefined));
}
