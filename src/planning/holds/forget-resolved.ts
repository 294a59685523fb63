import type { Stores } from '../../store/open-stores.js';
import type { DerivedRun } from '../derived-run.js';
import { forgetMoved } from './hold-paused.js';

/** Refusals and acknowledgements of what this run has not found again. */
export function forgetResolved(stores: Stores, derived: RunReads): void {
  forgetMoved(stores, derived.stopped);
  forgetAcknowledged(stores, derived);
}

type RunReads = Pick<DerivedRun, 'staged' | 'stopped' | 'unread' | 'usersFresh'>;

/**
 * An acknowledgement ends with its hold: should the same be held another time, that is news. Only a run that has read all
 * there is knows that a hold is gone.
 */
function forgetAcknowledged(stores: Stores, { staged, stopped, unread, usersFresh }: RunReads): void {
  const { work, acknowledgements } = stores;
  const reads = staged.flatMap(({ deciding, enriching }) => [...deciding, ...enriching]);
  const isWhole = reads.every(({ evidence }) => evidence?.complete === true || evidence?.partial === true);
  if (!isWhole || !usersFresh || stopped.length > 0 || unread.length > 0) return;
  stores.state.transaction(() => {
    for (const id of acknowledgements.all()) if (!work.isHeldAs(id)) acknowledgements.forget(id);
  });
}
