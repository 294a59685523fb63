import { isLink } from '../../../model/entity.js';
import { holdRecord } from '../../hold-record.js';
import type { RecordDraft } from '../record-draft.js';

/** No call makes a copy a hard link, or a hard link a copy (spec, Project linking 9): said, and left as it is. */
export function holdOtherKind(draft: RecordDraft): void {
  const { entity, desired, observed } = draft;
  const wanted = desired.link;
  if (observed === null || !isLink(entity) || wanted === undefined || wanted === observed.values.link) return;
  const [have, want] = wanted === true ? ['a copy of the project', 'a hard link'] : ['a hard link', 'a copy'];
  const reason = `link: ${observed.label} is ${have}, and the source wants ${want}; the service has no call that turns one into the other.`;
  const remedy = 'Leave it, or delete the experience in the service: the next run links again.';
  holdRecord(draft, 'SYNC_CHANGE_BLOCKED', { reason, remedy }, draft.ports);
}
