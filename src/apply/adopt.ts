import { rememberEntries } from '../reconcile/fields/entries.js';
import type { Stores } from '../store/open-stores.js';
import type { ContextOf } from '../store/state/link-store.js';

/**
 * Writes down what planning found to be certain: matches of records and unlinked objects, which from now on count as
 * owned, linked pairs with nothing left to do, which are passed over until one side moves, and pins that hold no longer.
 */
export function adoptAndAgree(stores: Stores, run: string, at: string, contextOf: ContextOf): void {
  const { work, links, mirror, pins } = stores;
  stores.state.transaction(() => {
    for (const { entity, key, id } of work.adoptions()) {
      // A link to a project is named by its two ends: when one gets another name, it goes along.
      const before = links.findByServiceId(entity, id);
      if (before !== null && before.sourceKey !== key) links.unlink(entity, before.sourceKey);
      links.link({ entity, sourceKey: key, serviceId: id, origin: 'adopted', run, at });
    }
    for (const { entity, key, path } of work.unpinned()) pins.unpin(entity, key, path);
    for (const { entity, key, base, desiredHash, observedHash } of work.agreements()) {
      const link = links.find(entity, key);
      const there = link === null ? null : mirror.get(entity, link.serviceId);
      const known = link?.written ?? {};
      const written =
        there === null
          ? known
          : rememberEntries({
              entity,
              desired: base,
              observed: there.values,
              written: known,
              base: link?.base ?? null,
            });
      links.agree(entity, key, { base, written, desiredHash, observedHash, contextHash: contextOf(entity) });
    }
  });
}
