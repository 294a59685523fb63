import type { Draft } from '../draft.js';
import { resolveNames } from '../references.js';

/** A name that means nothing would refuse the whole call: it is left out, or what it names is made first. */
export function resolveReferences(draft: Draft): void {
  const { after, unresolved, needs } = resolveNames(draft.after, draft);
  draft.after = after;
  draft.unresolved = unresolved;
  draft.needs = needs;
}
