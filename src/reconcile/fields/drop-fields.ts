import type { Candidate } from '../../model/desired.js';
import type { Directory } from '../../model/directory.js';
import type { Entity } from '../../model/entity.js';
import { FIELDS, mayBeUnshown } from '../../model/fields.js';
import { canonicalJson, isJsonObject, type Json, type Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import { isUnsure, unsureOf } from '../../model/unsure.js';
import { holdRecord } from '../hold-record.js';
import type { EntitySettings, HoldPorts } from '../ports.js';

/**
 * A value that was written and came back different, or was refused, is not written again while both sides say the same
 * and its mapping is the same one.
 */
export function dropFrozen(
  candidate: Candidate,
  after: Values,
  observed: Observed | null,
  { remapped }: Pick<EntitySettings, 'remapped'>,
  ports: HoldPorts,
): Values {
  const { untaken, desired } = candidate;
  if (observed === null || untaken === undefined) return after;
  const stays = (path: string, value: Json, now: Json | undefined): boolean => {
    const last = untaken[path];
    const same = (a: Json, b: Json | undefined): boolean => canonicalJson(a) === canonicalJson(b ?? null);
    if (last === undefined || !same(last.sent, value) || !same(last.got, now)) return true;
    holdRecord(
      candidate,
      'SYNC_FIELD_FROZEN',
      {
        reason: `${path} will not stay: ${canonicalJson(value)} was sent, and the service holds ${canonicalJson(last.got)}. It is not sent again until one of the two moves, or the field is mapped anew.`,
        remedy: 'Deliver the value as the service keeps it, or take the field out of the mapping.',
      },
      ports,
    );
    return false;
  };
  const left = Object.entries(after).flatMap(([name, value]): readonly (readonly [string, Json])[] => {
    const now = observed.values[name];
    if (remapped.has(name)) return [[name, value]];
    if (FIELDS[desired.entity][name]?.shape !== 'custom_fields' || !isJsonObject(value))
      return stays(name, value, now) ? [[name, value]] : [];
    // One custom field that will not stay says nothing of the others.
    const parts = pickFields(value, (part, want) =>
      stays(`${name}.${part}`, want, isJsonObject(now) ? now[part] : null),
    );
    return Object.keys(parts).length === 0 ? [] : [[name, parts]];
  });
  return Object.fromEntries(left);
}

/** A tag that is gone took its assignments along: what was written of it no longer holds. */
export function forgetDeletedTags(written: Values | null, directory: Directory): Values | null {
  const tags = written?.tags;
  if (written === null || !isJsonObject(tags)) return written;
  const left = Object.entries(tags).flatMap(([category, value]): [string, Json][] => {
    const known = (tag: Json): boolean => directory.tagId(category, String(tag)) !== null;
    if (isUnsure(value)) return [[category, unsureOf(...value.any_of.filter(known))]];
    if (Array.isArray(value)) return [[category, (value as readonly Json[]).filter(known)]];
    return known(value) ? [[category, value]] : [];
  });
  return { ...written, tags: Object.fromEntries(left) };
}

/** What a category shows is compared as it is shown; only of those that do not show is what was written remembered. */
export function forgetReadableTags(entity: Entity, written: Values | null, directory: Directory): Values | null {
  if (written === null) return null;
  return Object.fromEntries(
    Object.entries(written).map(([name, value]) => {
      if (FIELDS[entity][name]?.shape !== 'tag_sets' || !isJsonObject(value)) return [name, value];
      if (mayBeUnshown(FIELDS[entity][name])) return [name, value];
      return [name, pickFields(value, (category) => !directory.showsTags(category, entity))];
    }),
  );
}

function pickFields(values: Values, keep: (name: string, value: Json) => boolean): Values {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => keep(name, value)));
}
