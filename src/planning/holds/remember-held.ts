import { ENTITIES, type Entity } from '../../model/entity.js';
import type { Stores } from '../../store/open-stores.js';
import type { DerivedRun } from '../derived-run.js';
import type { StreamRead } from '../staging/read-streams.js';
import { createHolds, isRemembered } from './held-memory.js';

/**
 * Records the changes that guards hold in this run. A run that read everything also forgets held changes that it no
 * longer finds. A run with a missing file, a failed page or a damaged row forgets nothing, nor does a run for one
 * object or another day. An undo neither records nor forgets.
 */
export function* rememberHeld(
  stores: Stores,
  derived: DerivedRun,
  { run, at, mayEnd }: { readonly run: string; readonly at: string; readonly mayEnd: boolean },
): Generator<void, void> {
  if (derived.undoes !== null) return;
  const { state, work, heldChanges } = stores;
  const holds = createHolds(derived.guards);
  for (const found of work.newlyHeld()) {
    const held = found.filter(({ guard, field }) => isRemembered(guard) && holds(guard, field));
    if (held.length > 0) state.transaction(() => heldChanges.remember(held.map((one) => ({ ...one, run, at }))));
    yield;
  }
  if (!mayEnd || !work.isAnyHeldBefore()) return;
  const isSeen = createSeen(stores, derived);
  for (const found of work.heldNoMore()) {
    const over = found.filter(({ scope, key }) => isSeen(scope, key));
    state.transaction(() => {
      for (const { scope, key, guard, field } of over) heldChanges.forget(scope, key, { guard, field });
    });
    yield;
  }
}

/** Returns a function that checks whether this run has read everything that a record's changes depend on. */
function createSeen({ work }: Stores, derived: DerivedRun): (scope: string, key: string) => boolean {
  const { staged, stopped, unread } = derived;
  const reads = staged.flatMap((one) => [...one.deciding, ...one.enriching]);
  const isAllRead = reads.every(isRead) && stopped.length === 0 && unread.length === 0;
  const isAllClean = reads.every(isClean);
  return (scope, key) => {
    const own = staged.find(({ entity }) => entity === scope);
    const entity = ENTITIES.find((one) => one === scope);
    // Entities without a stream (offices, tags) and write-backs depend on all reads.
    if (own === undefined || entity === undefined) return isAllRead && isAllClean;
    const ofOwn = [...own.deciding, ...own.enriching];
    if (!ofOwn.every(isRead) || isLeftAlone(entity, derived)) return false;
    // A row that cannot be used may belong to a record that has no other row.
    return ofOwn.every(isClean) || work.isStaged(entity, key);
  };
}

function isLeftAlone(entity: Entity, { stopped, unread }: Pick<DerivedRun, 'stopped' | 'unread'>): boolean {
  if (stopped.some((stop) => stop.entity === entity)) return true;
  return unread.some(({ leftAlone }) => leftAlone.some((name) => name.split('.')[0] === entity));
}

/** A read of only the changes counts too, because the earlier rows are kept. */
function isRead({ evidence, error }: StreamRead): boolean {
  return error === null && evidence !== null && (evidence.complete || evidence.partial === true);
}

function isClean({ evidence }: StreamRead): boolean {
  return evidence?.rejected === 0;
}
