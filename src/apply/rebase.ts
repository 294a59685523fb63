import { SyncError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import { FIELDS } from '../model/fields.js';
import { canonicalJson, isJsonObject, type Json, objectOf, type Values } from '../model/json.js';
import type { Observed } from '../model/observed.js';
import type { Change } from '../model/plan.js';
import { isEmpty, isSameValue } from '../reconcile/fields/compare.js';

/**
 * The values still to send if the object has changed since the plan (spec, CV sections: a stale `version` is 409):
 *
 * | the service holds now          | `conflicts: owner`, `source` | `hold`, `service`                          |
 * |--------------------------------|------------------------------|--------------------------------------------|
 * | what the plan compared with    | send                         | send                                       |
 * | the desired value              | leave out                    | leave out                                  |
 * | a value from someone else      | send                         | send nothing: the next plan decides again  |
 *
 * A text is merged language by language, and keeps languages that others wrote in the meantime.
 * @throws SyncError SYNC_CONFLICT
 */
export function rebase(change: Change, now: Observed, conflicts: Config['conflicts']): Values {
  const { before, after, entity } = change;
  const left: Record<string, Json> = {};
  for (const [name, want] of Object.entries(after)) {
    const field = FIELDS[entity][name];
    const have = now.values[name];
    if (field === undefined || (field.createOnly === true && change.target !== null)) continue;
    const next = field.shape === 'multilingual' ? mergeTexts(before[name], want, have) : want;
    if (isSameValue(field, next, have)) continue;
    if ((conflicts === 'hold' || conflicts === 'service') && !isSameValue(field, have, before[name])) {
      throw new SyncError('SYNC_CONFLICT', {
        message: `${name} was changed by someone else since the plan was created: ${canonicalJson(have ?? null)} instead of ${canonicalJson(before[name] ?? null)}.`,
        remedy: 'Nothing was sent. The next run compares the values again and follows `conflicts`.',
        place: change.place,
      });
    }
    left[name] = next;
  }
  return left;
}

/** Merges the languages that the change sets into the current text. */
function mergeTexts(before: Json | undefined, want: Json, have: Json | undefined): Json {
  if (!isJsonObject(want)) return want;
  const [old, now] = [objectOf(before), objectOf(have)];
  const merged: Record<string, Json> = { ...now };
  for (const [language, text] of Object.entries(want)) if (text !== old[language]) merged[language] = text;
  for (const language of Object.keys(old)) if (!(language in want)) delete merged[language];
  return isEmpty(merged) ? want : merged;
}
