import type { IdOf } from '../model/entity.js';
import { FIELDS } from '../model/fields.js';
import { isJsonObject, type Json } from '../model/json.js';
import type { Observed } from '../model/observed.js';
import type { Change } from '../model/plan.js';
import type { Step } from './step.js';
import { findUntaken } from './verify.js';

/**
 * True if a look proves that the call happened. A call is carried out completely or not at all, so one visible field
 * also proves the fields that no read shows:
 *
 * | the look shows                          | proved                                       |
 * |-----------------------------------------|----------------------------------------------|
 * | something, but other values             | no                                           |
 * | something, and all of it as desired     | yes                                          |
 * | nothing: it cannot be read              | no: the outcome is unknown                   |
 */
export function isSeen(change: Change, observed: Observed, idOf: IdOf): boolean {
  return isAnyShown(change, observed) && findUntaken(change, observed, idOf).length === 0;
}

/** True if the object shows any field that the change sets. */
export function isAnyShown({ entity, action, after }: Change, { values }: Observed): boolean {
  if (action === 'reactivate' || 'deactivated' in after) return true;
  return Object.entries(after).some(([name, want]) => {
    const seen = values[name];
    return FIELDS[entity][name]?.shape === 'tag_sets' ? showsPart(want, seen) : seen !== undefined;
  });
}

/** True if a read shows some of the tags; it may omit other categories (spec, Custom tag category). */
function showsPart(want: Json, seen: Json | undefined): boolean {
  if (!isJsonObject(seen)) return false;
  return !isJsonObject(want) || Object.keys(want).some((category) => seen[category] !== undefined);
}

/**
 * Decides if a look after a lost answer proves the call. Returns the object with the call's other effects, or 'nothing'
 * if there is no proof. Without proof, this run or the next run's plan sends an idempotent call again.
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
