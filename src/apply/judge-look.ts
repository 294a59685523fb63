import type { IdOf } from '../model/entity.js';
import { FIELDS } from '../model/fields.js';
import { isJsonObject, type Json } from '../model/json.js';
import type { Observed } from '../model/observed.js';
import type { Change } from '../model/plan.js';
import type { Step } from './step.js';
import { findUntaken } from './verify.js';

/**
 * Whether a look proves that a call happened which was to bring `after`. One call is carried out whole or not at all, so
 * one field that shows speaks for those that no read shows:
 *
 * | of what it was to bring, the look shows | proved                                       |
 * |-----------------------------------------|----------------------------------------------|
 * | something, otherwise than wanted        | no                                           |
 * | something, and all of it as wanted      | yes                                          |
 * | nothing: it cannot be read              | no: the outcome is unknown                   |
 */
export function isSeen(change: Change, observed: Observed, idOf: IdOf): boolean {
  return isAnyShown(change, observed) && findUntaken(change, observed, idOf).length === 0;
}

/** Whether an object shows anything of what a change was to bring. */
export function isAnyShown({ entity, action, after }: Change, { values }: Observed): boolean {
  if (action === 'reactivate' || 'deactivated' in after) return true;
  return Object.entries(after).some(([name, want]) => {
    const seen = values[name];
    return FIELDS[entity][name]?.shape === 'tag_sets' ? showsPart(want, seen) : seen !== undefined;
  });
}

/** Of tags only some categories may show (spec, Custom tag category). */
function showsPart(want: Json, seen: Json | undefined): boolean {
  if (!isJsonObject(seen)) return false;
  return !isJsonObject(want) || Object.keys(want).some((category) => seen[category] !== undefined);
}

/**
 * What a look after a lost answer shows of a call: the object, with what the call brought besides; 'nothing' where it is
 * not proved to have happened. An idempotent call is then sent again, by this run or by the plan of the next one.
 */
export function judgeLook(
  change: Change,
  step: Step,
  found: { readonly object: Observed | null; readonly shown: Observed | null },
  idOf: IdOf,
): Observed | null | 'nothing' {
  const { object, shown } = found;
  if (step.deletes === true) return object === null ? null : 'nothing';
  if (object === null || shown === null) return 'nothing';
  const happened = step.happened?.(shown) ?? (step.repeat === 'probe' ? true : isSeen(change, shown, idOf));
  return happened ? (step.withUnshown?.(object) ?? object) : 'nothing';
}
