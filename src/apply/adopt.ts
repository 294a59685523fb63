import type { Entity } from '../model/entity.js';
import type { Values } from '../model/json.js';
import { rememberEntries } from '../reconcile/fields/entries.js';
import type { Stores } from '../store/open-stores.js';
import type { ContextOf } from '../store/state/link-store.js';

/**
 * Writes down what planning found to be certain: matches of records and unlinked objects, which from now on count as
 * owned, linked pairs with nothing left to do, which are passed over until one side moves, and pins that hold no longer.
 */
export function adoptAndAgree(stores: Stores, run: string, at: string, contextOf: ContextOf): void {
  const { work, links, pins } = stores;
  stores.state.transaction(() => {
    for (const { entity, key, id } of work.adoptions()) {
      // A link to a project is named by its two ends: when one gets another name, it goes along.
      const before = links.findByServiceId(entity, id);
      if (before !== null && before.sourceKey !== key) links.unlink(entity, before.sourceKey);
      links.link({ entity, sourceKey: key, serviceId: id, origin: 'adopted', run, at });
    }
    for (const { entity, key, path } of work.unpinned()) pins.unpin(entity, key, path);
    for (const { entity, key, base, desiredHash, observedHash } of work.agreements()) {
      const written = rememberWritten(stores, entity, key, base);
      links.agree(entity, key, { base, written, desiredHash, observedHash, contextHash: contextOf(entity) });
    }
  });
}

/** What no read shows of the record's object, with the ids that its entries have by now. */
function rememberWritten({ links, mirror }: Stores, entity: Entity, key: string, desired: Values): Values {
  const link = links.find(entity, key);
  const observed = link === null ? null : mirror.get(entity, link.serviceId);
  const written = link?.written ?? {};
  if (observed === null) return written;
  return rememberEntries({ entity, desired, observed: observed.values, written, base: link?.base ?? null });
}
