import { FIELDS } from '../../../model/fields.js';
import { holdRecord } from '../../hold-record.js';
import type { RecordDraft } from '../record-draft.js';
import { isNeeded } from './resolve-references.js';

/** The service rejects a new object without these fields, or accepts them only on create. */
export function requireFields(draft: RecordDraft): void {
  if (draft.action !== 'create') return;
  // A name that cannot be resolved was already reported.
  draft.isSettled = draft.unresolved.some(({ field }) => isNeeded(draft, field));
  if (draft.isSettled) return;
  // `holdUnanswered` asks about an unmapped field once, instead of once per record.
  const unmapped = new Set(draft.settings.questions?.map(({ field }) => field));
  const lacking = Object.entries(FIELDS[draft.entity])
    .filter(([name, field]) => field.required === true && draft.after[name] === undefined && !unmapped.has(name))
    .map(([name]) => name);
  if (lacking.length === 0) return;
  draft.isSettled = true;
  const reason = `Cannot be created without ${lacking.join(' and ')}, which ${lacking.length === 1 ? 'is' : 'are'} empty in the source.`;
  const remedy = 'Fill the value in the source, or map the field from a column that has it.';
  holdRecord(draft, 'SYNC_MAP_VALUE', { reason, remedy }, draft.ports);
}
