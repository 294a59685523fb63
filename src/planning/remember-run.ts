import type { DerivedRun } from './derived-run.js';
import { forgetResolved } from './holds/forget-resolved.js';
import { type RememberingTenant, recordReads } from './reads/record-reads.js';
import { settleRemapped } from './remapped.js';

/** What a run has seen counts from now on: a plan that is only looked at moves none of it. */
export function rememberRun(tenant: RememberingTenant, run: string, derived: DerivedRun): void {
  const { config, stores } = tenant;
  recordReads(tenant, run, derived);
  derived.leavers.save(derived);
  settleRemapped(config, stores);
  if (derived.only === null && derived.undoes === null) forgetResolved(stores, derived);
}
