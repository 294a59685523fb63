import { pickFields } from '../pick-fields.js';
import type { RecordDraft } from '../record-draft.js';

/** What rests on a read that the service refused is left as it is: nobody knows what it holds. It differs all the same. */
export function leaveUnread(draft: RecordDraft): void {
  const { after, settings } = draft;
  draft.asked = after;
  draft.after = pickFields(after, (name) => !settings.unread.has(name));
}
