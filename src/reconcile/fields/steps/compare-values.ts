import { diffValues } from '../diff.js';
import { type Draft, sidesOf } from '../draft.js';

/** What differs at all: every other step takes something out of this. */
export function compareValues(draft: Draft): void {
  const { before, after } = diffValues(sidesOf(draft));
  draft.before = before;
  draft.after = after;
}
