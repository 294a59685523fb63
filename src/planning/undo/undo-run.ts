import { isoNow } from '../../base/clock.js';
import { settleWitness } from '../../mirror/prove-account.js';
import { refreshMirror } from '../../mirror/refresh.js';
import { createRefusedReads } from '../../mirror/refused-reads.js';
import type { UndoRequest } from '../../model/undo.js';
import type { DerivedRun } from '../derived-run.js';
import { holdGuarded } from '../holds/hold-guarded.js';
import type { PlanningTenant } from '../reads/read-both-sides.js';
import { deriveUndo, findWorks, isFullReadCheaper } from './derive-undo.js';

/**
 * Derives a run from the audit instead of the sources: the changes of the undone run → the current service → the
 * inverse → guards.
 */
export async function deriveUndoRun(
  tenant: PlanningTenant,
  { full, only }: { readonly full: boolean; readonly only: string | null },
  undoes: UndoRequest,
): Promise<DerivedRun> {
  const { config, stores, protectedBy, refreshContext: refresh } = tenant;
  const now = isoNow(tenant.clock);
  const works = findWorks(stores, undoes.run, only);
  stores.work.reset();
  const isFull = full || isFullReadCheaper(works, stores.mirror.counts('users').all);
  const refused = createRefusedReads();
  const mirrorRead = await refreshMirror(refresh, isFull, refused);
  if (mirrorRead.lacksWitness) await settleWitness(stores, refresh);
  const usersFresh = mirrorRead.users === 'full read';
  const context = { config, stores, refresh, protectedBy, refused, now, usersFresh };
  const derivation = await deriveUndo(context, undoes, works);
  const guards = await holdGuarded(context, derivation);
  // This run has read everyone it changes, by id or in a full read, so no further check is needed before a
  // deactivation.
  const asked = { only, told: derivation, others: null, undoes };
  return { ...derivation, ...asked, guards, bulkLoad: null, mapped: null, mirrorRead, usersFresh: true };
}
