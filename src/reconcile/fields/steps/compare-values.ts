import { lacksLanguages } from '../../../model/shown-text.js';
import { pickFields } from '../compare.js';
import { diffValues } from '../diff.js';
import { type Draft, sidesOf } from '../draft.js';
import type { RecordDraft } from '../record-draft.js';

/** Finds everything that differs; every other step takes something out of it. */
export function compareValues(draft: Draft): void {
  const { before, after } = diffValues(sidesOf(draft));
  draft.before = before;
  draft.after = after;
}

/**
 * Takes out fields that rest on a read which the service rejected, or whose languages no read showed, because their
 * value is unknown. They still count as different.
 */
export function leaveUnread(draft: RecordDraft): void {
  const { after, observed, settings } = draft;
  draft.asked = after;
  draft.after = pickFields(
    after,
    (name) => !settings.unread.has(name) && !(observed !== null && lacksLanguages(observed.values, name)),
  );
}

/** Without the names that cannot be resolved, the service may already hold what is left of a field. */
export function dropSettled(draft: Draft): void {
  const { after, observed, unresolved } = draft;
  if (observed === null || unresolved.length === 0) return;
  const partial = new Set(unresolved.map(({ field }) => field.replace(/\..*$/, '')));
  const again = diffValues({ ...sidesOf(draft), desired: after });
  draft.after = pickFields(after, (name) => !partial.has(name) || again.fields.includes(name));
}
