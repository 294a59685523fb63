import type { Config } from '../config/config.js';
import { findReferences } from '../mirror/directory.js';
import type { Comparison, MatchKey } from '../model/comparison.js';
import type { Candidate } from '../model/desired.js';
import { idOfIn } from '../model/directory.js';
import type { Entity } from '../model/entity.js';
import type { Values } from '../model/json.js';
import { correlate, createFinder, type Finder, findByKey } from '../reconcile/match/correlate.js';
import type { Stores } from '../store/open-stores.js';

/** Finds objects of an entity before a derivation, or without one. */
export function finderOf(entity: Entity, { mirror, links }: Pick<Stores, 'mirror' | 'links'>): Finder {
  return createFinder(entity, {
    findIds: mirror.findIds,
    observed: mirror.get,
    linkedKey: links.keyOf,
  });
}

/** The object of a record: the linked one, or else the matching one; null if there is none yet. */
export function findObjectId(
  { desired, linkedId }: Pick<Candidate, 'desired' | 'linkedId'>,
  { config, stores }: { readonly config: Config; readonly stores: Stores },
): string | null {
  if (linkedId !== null) return linkedId;
  const { entity } = desired;
  const found = correlate(desired, config.mappings[entity]?.match ?? [], finderOf(entity, stores));
  return found.kind === 'match' ? found.id : null;
}

export interface NamedObject {
  readonly id: string;
  readonly label: string;
}

/** An entry of `match`, its rule, and its findings for one record; null if it was not tried or has no value. */
export interface TriedKey {
  readonly fields: readonly string[];
  readonly compare: Comparison;
  readonly found: readonly NamedObject[] | null;
  /** Objects that look alike and that only the rule distinguishes. */
  readonly set_apart: readonly NamedObject[];
}

/** @param values the values of a record without a link; null tries nothing */
export function tryKeys(
  entity: Entity,
  match: readonly MatchKey[],
  values: Values | null,
  stores: Pick<Stores, 'mirror' | 'links'>,
): readonly TriedKey[] {
  const { mirror } = stores;
  const idOf = idOfIn({ find: (to, word) => findReferences(mirror, to, word) });
  const nameAll = (ids: readonly string[]): readonly NamedObject[] =>
    ids.map((id) => ({ id, label: mirror.get(entity, id)?.label ?? id }));
  return match.map((key) => {
    const { fields, compare } = key;
    const found = values === null ? null : findByKey({ entity, values }, key, finderOf(entity, stores), idOf);
    return {
      fields,
      compare,
      found: found === null ? null : nameAll(found.ids),
      set_apart: nameAll(found?.setApart ?? []),
    };
  });
}
