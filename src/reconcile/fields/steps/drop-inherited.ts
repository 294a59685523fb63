import { INHERITED_FROM_PROJECT } from '../../../model/sections.js';
import { holdRecord } from '../../hold-record.js';
import { pickFields } from '../pick-fields.js';
import type { RecordDraft } from '../record-draft.js';

/** A hard-linked experience reads these from its project, and refuses them (spec, Project linking 7). */
export function dropInherited(draft: RecordDraft): void {
  if (draft.observed?.values.linked !== true) return;
  const inherited = Object.keys(draft.after).filter((name) => INHERITED_FROM_PROJECT.has(name));
  if (inherited.length === 0) return;
  const reason = `${inherited.join(', ')} of this experience ${inherited.length === 1 ? 'is' : 'are'} read from the reference project it is linked to.`;
  const remedy = 'Change the reference project, or take the fields out of the mapping.';
  holdRecord(draft, 'SYNC_CHANGE_BLOCKED', { reason, remedy }, draft.ports);
  draft.after = pickFields(draft.after, (name) => !inherited.includes(name));
}
