import type { Stores } from '../store/open-stores.js';
import type { DerivedRun } from './derived-run.js';
import { forgetMoved } from './holds/hold-paused.js';
import type { RememberingTenant } from './reads/record-reads.js';
import { settleRemapped } from './remapped.js';

/**
 * What a run has concluded counts from now on: a plan that is only looked at moves none of it. Comes after what rests on an
 * edited mapping (pins that hold no longer, agreements) is on disk: cut off in between, the next run finds the edit again.
 */
export function rememberRun({ config, stores }: RememberingTenant, derived: DerivedRun): void {
  derived.leavers.save(derived);
  settleRemapped(config, stores);
  if (derived.only !== null || derived.undoes !== null) return;
  forgetMoved(stores, derived.stopped);
  forgetAcknowledged(stores, derived);
}

/**
 * An acknowledgement ends with its hold: should the same be held another time, that is news. Only a run that has read all
 * there is knows that a hold is gone.
 */
function forgetAcknowledged(stores: Stores, { staged, stopped, unread, usersFresh }: DerivedRun): void {
  const { work, acknowledgements } = stores;
  const reads = staged.flatMap(({ deciding, enriching }) => [...deciding, ...enriching]);
  const isWhole = reads.every(({ evidence }) => evidence?.complete === true || evidence?.partial === true);
  if (!isWhole || !usersFresh || stopped.length > 0 || unread.length > 0) return;
  stores.state.transaction(() => {
    for (const id of acknowledgements.all()) if (!work.isHeldAs(id)) acknowledgements.forget(id);
  });
}
