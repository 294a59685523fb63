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

/**
 * Without it the object is not made at all (`requireFields`), and the whole record waits: the service would refuse it, or never
 * take it later.
 */
export function isNeeded({ entity, action, after }: RecordDraft, path: string): boolean {
  const [name = ''] = path.split('.');
  const field = FIELDS[entity][name];
  return action === 'create' && (field?.createOnly === true || (field?.required === true && after[name] === undefined));
}
