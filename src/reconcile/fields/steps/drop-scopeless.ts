import { isManager } from '../../../model/fields.js';
import { holdRecord } from '../../hold-record.js';
import { isEmpty } from '../compare.js';
import { SCOPE_NAMES } from '../manager-scope.js';
import { pickFields } from '../pick-fields.js';
import type { RecordDraft } from '../record-draft.js';

/** Without any scope to send the roles stay as they are: the service would refuse them (spec, Update rules). */
export function dropScopeless(draft: RecordDraft): void {
  const { after } = draft;
  if (!isManager(after.roles) || SCOPE_NAMES.some((name) => !isEmpty(after[name]))) return;
  const fields = SCOPE_NAMES.map((name) => `\`${name}\``).join(' or ');
  const reason = `roles: a departmentmanager needs a scope in the same request, and nothing of ${fields} is known.`;
  const remedy = `Deliver an office or tag that the service has, or map ${fields}.`;
  holdRecord(draft, 'SYNC_REFERENCE_UNKNOWN', { reason, remedy }, draft.ports);
  draft.after = pickFields(after, (name) => name !== 'roles' && !SCOPE_NAMES.includes(name));
}
