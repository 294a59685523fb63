import type { UntakenField } from '../../../model/desired.js';
import { FIELDS } from '../../../model/fields.js';
import { canonicalJson, isJsonObject, type Json, objectOf } from '../../../model/json.js';
import { holdRecord } from '../../hold-record.js';
import { pickFields } from '../compare.js';
import type { RecordDraft } from '../record-draft.js';
import { wordBefore } from '../word-before.js';

/** The number of times that a value is written over the same other value. One or two edits by hand are simply corrected. */
const MOST_TIMES = 3;

/**
 * Drops a value that the service rejected, that came back different, or that others have reset too often. It is not
 * written again until either side or its mapping changes.
 */
export function dropFrozen(draft: RecordDraft): void {
  const { entity, candidate, observed, settings } = draft;
  const { untaken } = candidate;
  if (observed === null || untaken === undefined) return;
  const stays = (path: string, value: Json, sides: ShownSides): boolean => {
    const last = untaken[path];
    if (last === undefined || !isFrozen(last, value, sides)) return true;
    holdRecord(draft, 'SYNC_FIELD_FROZEN', { ...describeFrozen(path, last), field: path }, draft.ports);
    return false;
  };
  const left = Object.entries(draft.after).flatMap(([name, value]): readonly (readonly [string, Json])[] => {
    const sides = { now: observed.values[name], was: wordBefore(name, draft) };
    if (settings.remapped.has(name)) return [[name, value]];
    if (FIELDS[entity][name]?.shape !== 'custom_fields' || !isJsonObject(value))
      return stays(name, value, sides) ? [[name, value]] : [];
    // Each custom field is frozen separately.
    const [now, was] = [objectOf(sides.now), objectOf(sides.was)];
    const parts = pickFields(value, (part, want) => stays(`${name}.${part}`, want, { now: now[part], was: was[part] }));
    return Object.keys(parts).length === 0 ? [] : [[name, parts]];
  });
  draft.after = Object.fromEntries(left);
}

/** The value of a field in the service. */
interface ShownSides {
  /** As read. */
  readonly now: Json | undefined;
  /** As a change would state it as the value before. */
  readonly was: Json | undefined;
}

function isFrozen({ sent, got, times }: UntakenField, value: Json, { now, was }: ShownSides): boolean {
  const isOther = (a: Json, b: Json | undefined): boolean => canonicalJson(a) !== canonicalJson(b ?? null);
  if (isOther(sent, value)) return false;
  return times === undefined ? !isOther(got, now) : times >= MOST_TIMES && !isOther(got, was);
}

function describeFrozen(
  path: string,
  { sent, got, times }: UntakenField,
): { readonly reason: string; readonly remedy: string } {
  const [often, theirs] =
    times === undefined
      ? ['', '']
      : [
          ` again ${times} times`,
          ' If another tool or person resets the value, stop this, and set the value in the service by hand.',
        ];
  const reason = `${path} does not stay: ${canonicalJson(sent)} was sent${often}, but the service has ${canonicalJson(got)}. It is not sent again until one of the two changes, or the field is mapped again.`;
  const remedy = `Deliver the value in the form that the service keeps, or remove the field from the mapping.${theirs}`;
  return { reason, remedy };
}
