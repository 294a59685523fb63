import { FIELDS } from '../../../model/fields.js';
import { canonicalJson, isJsonObject, type Json } from '../../../model/json.js';
import { holdRecord } from '../../hold-record.js';
import { pickFields } from '../compare.js';
import type { RecordDraft } from '../record-draft.js';

/**
 * Drops a value that the service rejected, or that came back different. It is not written again until either side or
 * its mapping changes.
 */
export function dropFrozen(draft: RecordDraft): void {
  const { entity, candidate, observed, settings } = draft;
  const { untaken } = candidate;
  if (observed === null || untaken === undefined) return;
  const stays = (path: string, value: Json, now: Json | undefined): boolean => {
    const last = untaken[path];
    const same = (a: Json, b: Json | undefined): boolean => canonicalJson(a) === canonicalJson(b ?? null);
    if (last === undefined || !same(last.sent, value) || !same(last.got, now)) return true;
    const reason = `${path} does not stay: ${canonicalJson(value)} was sent, but the service has ${canonicalJson(last.got)}. It is not sent again until one of the two changes, or the field is mapped again.`;
    const remedy = 'Deliver the value in the form that the service keeps, or remove the field from the mapping.';
    holdRecord(draft, 'SYNC_FIELD_FROZEN', { reason, remedy, field: path }, draft.ports);
    return false;
  };
  const left = Object.entries(draft.after).flatMap(([name, value]): readonly (readonly [string, Json])[] => {
    const now = observed.values[name];
    if (settings.remapped.has(name)) return [[name, value]];
    if (FIELDS[entity][name]?.shape !== 'custom_fields' || !isJsonObject(value))
      return stays(name, value, now) ? [[name, value]] : [];
    // Each custom field is frozen separately.
    const parts = pickFields(value, (part, want) =>
      stays(`${name}.${part}`, want, isJsonObject(now) ? now[part] : null),
    );
    return Object.keys(parts).length === 0 ? [] : [[name, parts]];
  });
  draft.after = Object.fromEntries(left);
}
