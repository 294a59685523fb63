import { canonicalJson, type Json, objectOf, type Values } from '../../../model/json.js';
import { agreeInPart } from '../agree-in-part.js';
import { sidesOf } from '../draft.js';
import { type Leaf, withoutLeaves } from '../leaves.js';
import type { RecordDraft } from '../record-draft.js';

/** A pair with nothing to send is equal, or equal but for what is held: either is what both sides agree on from now on. */
export function agreeOnEqual(draft: RecordDraft): void {
  const { candidate, observed, after, ports } = draft;
  if (draft.action !== 'update' || draft.relink !== null || Object.keys(after).length > 0) return;
  draft.isSettled = true;
  if (observed === null) return;
  const asked = withoutLeaves(draft.entity, draft.asked, draft.left, observed.values);
  // A declined leaver is looked at in every run: nobody agrees on a leaving.
  const isEqual =
    !candidate.desired.leaver && !draft.isMoved && draft.unresolved.length === 0 && Object.keys(asked).length === 0;
  if (isEqual) {
    ports.memory.agree(candidate, observed);
    return;
  }
  // What is held keeps the pair from being equal; what both sides hold alike, or keep for now, is agreed on all the same.
  const sides = { ...sidesOf(draft), observed: withLeft(observed.values, draft.left), base: null, rules: {} };
  const rest = agreeInPart(sides, draft.base);
  if (!candidate.sourceUnchanged || canonicalJson(rest) !== canonicalJson(draft.base))
    ports.memory.agreeInPart(candidate, observed, rest);
}

/** The object with what the source says of the leaves that are left. */
function withLeft(values: Values, left: readonly Leaf[]): Values {
  const shown: Record<string, Json> = { ...values };
  for (const { field, part, value } of left) {
    const whole = shown[field];
    if (part === null) shown[field] = value;
    else if (Array.isArray(whole)) shown[field] = [...(whole as readonly Json[]), value];
    else shown[field] = { ...objectOf(whole), [part]: value };
  }
  return shown;
}
