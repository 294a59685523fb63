import type { Candidate } from '../../model/desired.js';
import type { Directory } from '../../model/directory.js';
import type { Action, Entity } from '../../model/entity.js';
import { FIELDS, mayBeUnshown } from '../../model/fields.js';
import { isJsonObject, type Json, type Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import { formatPlace } from '../../model/place.js';
import type { DeclinedPin } from '../../model/undo.js';
import { isUnsure, unsureOf } from '../../model/unsure.js';
import type { Relink } from '../match/judge-relink.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';
import { pickFields } from './compare.js';
import type { DiffInput } from './diff.js';
import type { Draft } from './draft.js';
import type { Leaf } from './leaves.js';
import { plannedIdOf } from './planned-places.js';

/** A record and its object, which exists or is to be created. */
export interface Pairing {
  readonly candidate: Candidate;
  readonly observed: Observed | null;
  readonly action: Action;
  /** The entry of `match` that found the object; null if a link found it, or if there is none. */
  readonly adoptedBy: string | null;
  readonly relink: Relink | null;
}

/** The change of a record, with the data that its own steps need and record. */
export interface RecordDraft extends Draft, Pairing {
  /** Everything that differs, even if a step removes it. */
  asked: Values;
  /** The scope that accompanies the roles. */
  companion: Values;
  /** Leaves that differ, but that need no change. */
  left: readonly Leaf[];
  /** Leaves that differ, but that a person has declined. */
  declined: readonly ({ readonly leaf: Leaf } & DeclinedPin)[];
  /** True if the source gives the object to another owner, which no call supports. */
  isMoved: boolean;
}

/** The two sides of a pair, for comparison. */
export function sidesOfPair(
  { candidate: { desired, base, written }, observed }: Pick<Pairing, 'candidate' | 'observed'>,
  { rules }: Pick<EntitySettings, 'rules'>,
  ports: ReconcilePorts,
): DiffInput {
  const { entity, values } = desired;
  return {
    entity,
    desired: values,
    observed: observed?.values ?? null,
    written: forgetTags(entity, { written, shown: observed?.values ?? {} }, ports.service.directory),
    base,
    rules,
    idOf: plannedIdOf(ports),
  };
}

export function startRecord(pairing: Pairing, settings: EntitySettings, ports: ReconcilePorts): RecordDraft {
  const { candidate, observed, action, adoptedBy, relink } = pairing;
  const { desired, base, written } = candidate;
  const shown = observed?.values ?? {};
  const { entity } = desired;
  // Copying `pairing` with `...` takes ten times as long.
  return {
    candidate,
    observed,
    action,
    adoptedBy,
    relink,
    entity,
    key: desired.key,
    place: formatPlace(desired.place),
    desired: desired.values,
    base,
    written: forgetTags(entity, { written, shown }, ports.service.directory),
    settings,
    ports,
    movesLink: relink !== null && action === 'update',
    idOf: plannedIdOf(ports),
    before: {},
    after: {},
    asked: {},
    companion: {},
    left: [],
    declined: [],
    isMoved: false,
    unresolved: [],
    needs: [],
    isSettled: false,
  };
}

interface WrittenBefore {
  readonly written: Values | null;
  /** Values that the object shows. */
  readonly shown: Values;
}

/** The last written values that no read shows, unless they are known to be gone. */
function forgetTags(entity: Entity, { written, shown }: WrittenBefore, directory: Directory): Values | null {
  return forgetReadableTags(entity, { written: forgetDeletedTags(written, directory), shown }, directory);
}

/** Drops written tags that no longer exist, because their assignments were removed with them. */
function forgetDeletedTags(written: Values | null, directory: Directory): Values | null {
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

/**
 * Drops the written tags that a read shows. It keeps those of categories that are never shown. It keeps all tags if the
 * object was read without them, as from some lists.
 */
function forgetReadableTags(entity: Entity, { written, shown }: WrittenBefore, directory: Directory): Values | null {
  if (written === null) return null;
  return Object.fromEntries(
    Object.entries(written).map(([name, value]) => {
      const field = FIELDS[entity][name];
      if (field?.shape !== 'tag_sets' || !isJsonObject(value) || mayBeUnshown(field) || shown[name] === undefined)
        return [name, value];
      return [name, pickFields(value, (category) => !directory.showsTags(category, entity))];
    }),
  );
}
