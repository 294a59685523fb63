import { FIELDS, isByCategory } from '../model/fields.js';
import { isJsonObject, type Json, type JsonObject, objectOf } from '../model/json.js';
import { withoutLink } from '../model/plan.js';
import { unsureOf } from '../model/unsure.js';
import type { Stores } from '../store/open-stores.js';
import type { ChangeEnd } from './execution.js';

/**
 * A change that ended without anybody knowing what all its calls did. What the reads of a run show comes to light by
 * itself; of the rest nothing that was remembered is certain any more:
 *
 * | part of the change                         | →                                                                |
 * |--------------------------------------------|------------------------------------------------------------------|
 * | tags of a category that no read shows      | the old and the new ones may be there (`unsure.ts`)               |
 * | shown where the object is read alone       | forgotten here and in the mirror, so that it is read              |
 *
 * So the next plan sends what is wanted then, even where that is what was there before. Runs inside the transaction that
 * records the end.
 */
export function noteUnseen({ links, mirror }: Stores, { change, result }: Pick<ChangeEnd, 'change' | 'result'>): void {
  if (result !== 'lost' && result !== 'in part') return;
  const { entity, key, after } = withoutLink(change);
  const link = links.find(entity, key);
  if (link === null) return;
  const shown = mirror.get(entity, link.serviceId)?.values ?? {};
  const written: Record<string, Json> = { ...link.written };
  let isMoved = false;
  for (const [name, value] of Object.entries(after)) {
    const field = FIELDS[entity][name];
    if (field?.readAlone === true) {
      delete written[name];
      mirror.forget(entity, field.ids ?? name, link.serviceId);
      isMoved = true;
      continue;
    }
    const unsure = isByCategory(field) && isJsonObject(value) ? doubtHidden(value, shown[name], written[name]) : null;
    if (unsure === null) continue;
    written[name] = unsure;
    isMoved = true;
  }
  if (!isMoved) return;
  links.remember(entity, key, written);
  links.disagree(entity, key);
}

/** Tags as remembered, with those in doubt of categories that no read shows; null where every category shows. */
function doubtHidden(wanted: JsonObject, seen: Json | undefined, written: Json | undefined): Json | null {
  const known = objectOf(written);
  const hidden = Object.entries(wanted).filter(([category]) => objectOf(seen)[category] === undefined);
  if (hidden.length === 0) return null;
  const parts = hidden.map(([category, tags]) => [category, unsureOf(known[category], tags)] as const);
  return { ...known, ...Object.fromEntries(parts) };
}
