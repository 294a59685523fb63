import type { DerivedRun } from './derived-run.js';
import { forgetResolved } from './holds/forget-resolved.js';
import type { RememberingTenant } from './reads/record-reads.js';
import { settleRemapped } from './remapped.js';

/**
 * What a run has concluded counts from now on: a plan that is only looked at moves none of it. Comes after what rests on an
 * edited mapping (pins that hold no longer, agreements) is on disk: cut off in between, the next run finds the edit again.
 */
export function rememberRun({ config, stores }: RememberingTenant, derived: DerivedRun): void {
  derived.leavers.save(derived);
  settleRemapped(config, stores);
  if (derived.only === null && derived.undoes === null) forgetResolved(stores, derived);
}
