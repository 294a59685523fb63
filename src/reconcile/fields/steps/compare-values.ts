import { lacksLanguages } from '../../../model/shown-text.js';
import { pickFields } from '../compare.js';
import { diffValues } from '../diff.js';
import { type Draft, sidesOf } from '../draft.js';
import type { RecordDraft } from '../record-draft.js';

/** What differs at all: every other step takes something out of this. */
export function compareValues(draft: Draft): void {
  const { before, after } = diffValues(sidesOf(draft));
  draft.before = before;
  draft.after = after;
}

/**
 * What rests on a read that the service refused, or of which no read showed the languages, is left as it is: nobody knows what
 * it holds. It differs all the same.
 */
export function leaveUnread(draft: RecordDraft): void {
  const { after, observed, settings } = draft;
  draft.asked = after;
  draft.after = pickFields(
    after,
    (name) => !settings.unread.has(name) && !(observed !== null && lacksLanguages(observed.values, name)),
  );
}

/** What is left of a field without the names that cannot be resolved may be what the service already holds. */
export function dropSettled(draft: Draft): void {
  const { after, observed, unresolved } = draft;
  if (observed === null || unresolved.length === 0) return;
  const partial = new Set(unresolved.map(({ field }) => field.replace(/\..*$/, '')));
  const again = diffValues({ ...sidesOf(draft), desired: after });
  draft.after = pickFields(after, (name) => !partial.has(name) || again.fields.includes(name));
}
