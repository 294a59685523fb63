import { canonicalJson, type Json, objectOf, type Values } from '../../../model/json.js';
import { agreeInPart } from '../agree-in-part.js';
import { sidesOf } from '../draft.js';
import { type Leaf, withoutLeaves } from '../leaves.js';
import type { RecordDraft } from '../record-draft.js';

/** Records a pair with nothing to send as agreed, or as agreed in part if something is held. */
export function agreeOnEqual(draft: RecordDraft): void {
  const { candidate, observed, after, ports } = draft;
  if (draft.action !== 'update' || draft.relink !== null || Object.keys(after).length > 0) return;
  draft.isSettled = true;
  if (observed === null) return;
  const asked = withoutLeaves(draft.entity, draft.asked, draft.left, observed.values);
  // A declined leaver is compared in every run, because the two sides never agree on it.
  const isEqual =
    !candidate.desired.leaver && !draft.isMoved && draft.unresolved.length === 0 && Object.keys(asked).length === 0;
  if (isEqual) {
    ports.memory.agree(candidate, observed);
    return;
  }
  // The pair is not equal while something is held, but values that both sides share, or keep for now, are agreed.
  const sides = { ...sidesOf(draft), observed: withLeft(observed.values, draft.left), base: null, rules: {} };
  const rest = agreeInPart(sides, draft.base);
  if (!candidate.sourceUnchanged || canonicalJson(rest) !== canonicalJson(draft.base))
    ports.memory.agreeInPart(candidate, observed, rest);
}

/** The object with the source's values for the leaves that may differ. */
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
