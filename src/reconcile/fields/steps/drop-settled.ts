import { diffValues } from '../diff.js';
import { sidesOf } from '../draft.js';
import { pickFields } from '../pick-fields.js';
import type { RecordDraft } from '../record-draft.js';

/** What is left of a field without the names that cannot be resolved may be what the service already holds. */
export function dropSettled(draft: RecordDraft): void {
  const { after, observed, unresolved } = draft;
  if (observed === null || unresolved.length === 0) return;
  const partial = new Set(unresolved.map(({ field }) => field.replace(/\..*$/, '')));
  const again = diffValues({ ...sidesOf(draft), desired: after });
  draft.after = pickFields(after, (name) => !partial.has(name) || again.fields.includes(name));
}
