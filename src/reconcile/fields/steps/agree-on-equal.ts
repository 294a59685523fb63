import { canonicalJson } from '../../../model/json.js';
import { agreeInPart } from '../agree-in-part.js';
import { sidesOf } from '../draft.js';
import { withoutLeaves } from '../leaves.js';
import type { RecordDraft } from '../record-draft.js';

/** A pair with nothing to send is equal, or equal but for what is held: either is what both sides agree on from now on. */
export function agreeOnEqual(draft: RecordDraft): void {
  const { candidate, observed, after, ports } = draft;
  if (draft.action !== 'update' || draft.relink !== null || Object.keys(after).length > 0) return;
  draft.isSettled = true;
  if (observed === null) return;
  const asked = withoutLeaves(draft.entity, draft.asked, draft.left, observed.values);
  const isEqual = !draft.isMoved && draft.unresolved.length === 0 && Object.keys(asked).length === 0;
  if (isEqual) {
    ports.memory.agree(candidate, observed);
    return;
  }
  // What is held keeps the pair from being equal; what both sides hold alike is agreed on all the same.
  const rest = agreeInPart({ ...sidesOf(draft), base: null, rules: {} }, draft.base);
  if (!candidate.sourceUnchanged || canonicalJson(rest) !== canonicalJson(draft.base))
    ports.memory.agreeInPart(candidate, observed, rest);
}
