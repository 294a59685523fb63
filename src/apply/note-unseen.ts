import { FIELDS, isByCategory } from '../model/fields.js';
import { isJsonObject, type Json, type JsonObject, objectOf } from '../model/json.js';
import { withoutLink } from '../model/plan.js';
import { unsureOf } from '../model/unsure.js';
import type { Stores } from '../store/open-stores.js';
import type { ChangeEnd } from './execution.js';

/**
 * Handles a change with calls of unknown outcome. The reads of a run show most of the change. For the other parts, the
 * remembered values are no longer certain:
 *
 * | part of the change                         | →                                                                |
 * |--------------------------------------------|------------------------------------------------------------------|
 * | tags of a category that no read shows      | the old and the new ones may exist (`unsure.ts`)                 |
 * | shown only if the object is read alone     | forgotten here and in the mirror, so that it is read             |
 *
 * The next plan therefore sends the desired value, even if it has not changed. Runs in the transaction that records the
 * end.
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

/** Adds uncertain tags to the remembered ones for categories that no read shows; null if the reads show all categories. */
function doubtHidden(wanted: JsonObject, seen: Json | undefined, written: Json | undefined): Json | null {
  const known = objectOf(written);
  const hidden = Object.entries(wanted).filter(([category]) => objectOf(seen)[category] === undefined);
  if (hidden.length === 0) return null;
  const parts = hidden.map(([category, tags]) => [category, unsureOf(known[category], tags)] as const);
  return { ...known, ...Object.fromEntries(parts) };
}
