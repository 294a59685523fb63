import type { Draft } from '../draft.js';
import { guardProtected } from '../protect.js';

/** An account that is protected, and the access of administrators, is left as it is, whatever the sources say. */
export function keepProtected(draft: Draft): void {
  const allowed = guardProtected(draft, draft.observed, draft.ports);
  if (allowed !== 'held') draft.after = allowed;
  // A link is ours: it moves although nothing of the account may.
  else if (draft.movesLink) draft.after = {};
  else draft.isSettled = true;
}
