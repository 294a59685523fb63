import { FIELDS } from '../../../model/fields.js';
import { holdRecord } from '../../hold-record.js';
import type { Draft } from '../draft.js';
import type { RecordDraft } from '../record-draft.js';
import { resolveNames } from '../references.js';

/** An unknown name would make the service reject the entire call. It is left out, or the object that it names is created first. */
export function resolveReferences(draft: Draft): void {
  const { after, unresolved, needs } = resolveNames(draft.after, draft);
  draft.after = after;
  draft.unresolved = unresolved;
  draft.needs = needs;
}

/** The rest is planned without them; a later run sends them once the names exist. */
export function holdUnresolved(draft: RecordDraft): void {
  for (const { field, reason, remedy } of draft.unresolved) {
    const alone = isNeeded(draft, field) ? {} : { field };
    holdRecord(draft, 'SYNC_REFERENCE_UNKNOWN', { reason: `${field}: ${reason}`, remedy, ...alone }, draft.ports);
  }
}

/**
 * True if the object cannot be created without the field (`requireFields`): the service would reject it, or would not
 * accept the field later. Then the entire record waits.
 */
export function isNeeded({ entity, action, after }: RecordDraft, path: string): boolean {
  const [name = ''] = path.split('.');
  const field = FIELDS[entity][name];
  return action === 'create' && (field?.createOnly === true || (field?.required === true && after[name] === undefined));
}
