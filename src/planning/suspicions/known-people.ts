import { findReferences } from '../../mirror/directory.js';
import { idOfIn } from '../../model/directory.js';
import { type Entity, isAccount } from '../../model/entity.js';
import { EXISTENCE } from '../../model/undo.js';
import { eachWithPauses } from '../../reconcile/each-with-pauses.js';
import { hashLeaf } from '../../reconcile/fields/leaves.js';
import { correlate } from '../../reconcile/match/correlate.js';
import type { Stores } from '../../store/open-stores.js';
import { finderOf } from '../match-objects.js';
import type { SuspectRead } from './suspicion.js';

/** The number of known objects in a read that was used, and the number of its rows. */
export interface KnownRead {
  readonly known: number;
  readonly rows: number;
}

const factOf = (entity: Entity, source: string): string => `guards.known.${entity}.${source}`;

export function lastKnown({ history }: Stores, entity: Entity, source: string): KnownRead | null {
  const text = history.fact(factOf(entity, source));
  return text === null ? null : (JSON.parse(text) as KnownRead);
}

export function rememberKnown({ history }: Stores, entity: Entity, source: string, read: KnownRead): void {
  history.setFact(factOf(entity, source), JSON.stringify(read));
}

/**
 * Counts the linked active objects that a read shows, by their key or by any entry of `match` under any key. If a row
 * has the key of one person, but the name and address of another, the key proves nothing, because many lists count from
 * 1.
 */
export function* countPresent({
  entity,
  source,
  config,
  stores,
}: Omit<SuspectRead, 'evidence' | 'reads'>): Generator<void, number> {
  const { work, links, mirror } = stores;
  const present = work.linkedPresent(entity, source);
  yield;
  const replaced = isAccount(entity) ? work.replacedPeople(source) : 0;
  yield;
  const match = config.mappings[entity]?.match ?? [];
  const finder = finderOf(entity, stores);
  const idOf = idOfIn({ find: (to, word) => findReferences(mirror, to, word) });
  const others = new Set<string>();
  yield* eachWithPauses(work.unlinked(entity), ({ desired }) => {
    if (desired.place.source !== source) return;
    const found = correlate(desired, match, finder, idOf);
    if (found.kind !== 'match' || mirror.get(entity, found.id)?.active !== true) return;
    const key = links.keyOf(entity, found.id);
    if (key !== null && !work.isStaged(entity, key)) others.add(found.id);
  });
  return present - replaced + others.size + (yield* countUndone(entity, stores));
}

/** Counts the objects in the read that are inactive because an operator undid their creation or activation. */
function* countUndone(entity: Entity, { pins, work, links, mirror }: Stores): Generator<void, number> {
  let found = 0;
  yield* eachWithPauses(pins.all(), ({ entity: of, key, path, value }) => {
    if (of !== entity || path !== EXISTENCE || value !== IS_HERE || !work.isStaged(entity, key)) return;
    const link = links.find(entity, key);
    if (link !== null && mirror.get(entity, link.serviceId)?.active === false) found += 1;
  });
  return found;
}

const IS_HERE = hashLeaf('here');
