import { lacksLanguages } from '../../../model/shown-text.js';
import { pickFields } from '../compare.js';
import { diffValues } from '../diff.js';
import { type Draft, sidesOf } from '../draft.js';
import type { RecordDraft } from '../record-draft.js';

/** Finds everything that differs; every other step removes parts of it. */
export function compareValues(draft: Draft): void {
  const { before, after } = diffValues(sidesOf(draft));
  draft.before = before;
  draft.after = after;
}

/**
 * Removes fields that depend on a rejected read, and texts whose languages no read showed, because their values are
 * unknown. They still count as different.
 */
export function leaveUnread(draft: RecordDraft): void {
  const { after, observed, settings } = draft;
  draft.asked = after;
  draft.after = pickFields(
    after,
    (name) => !settings.unread.has(name) && !(observed !== null && lacksLanguages(observed.values, name)),
  );
}

/** Drops a field if the service already holds the part of it that is left without the unresolved names. */
export function dropSettled(draft: Draft): void {
  const { after, observed, unresolved } = draft;
  if (observed === null || unresolved.length === 0) return;
  const partial = new Set(unresolved.map(({ field }) => field.replace(/\..*$/, '')));
  const again = diffValues({ ...sidesOf(draft), desired: after });
  draft.after = pickFields(after, (name) => !partial.has(name) || again.fields.includes(name));
}
