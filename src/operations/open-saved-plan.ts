import { isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import { findPlanFile } from '../planning/saved/plan-file.js';
import { readPlan, type SavedPlan } from '../planning/saved/read-plan.js';
import { plansFolder } from '../planning/saved/save-plan.js';
import type { Stores } from '../store/open-stores.js';
import type { OperationContext } from './with-stores.js';

/**
 * Opens a saved plan that may still be carried out: by id, or the newest one.
 *
 * @throws SyncError SYNC_PLAN_MISSING, SYNC_PLAN_DAMAGED, SYNC_PLAN_EXPIRED
 */
export async function openSavedPlan(
  { config, clock, stores }: OperationContext & { readonly stores: Pick<Stores, 'planKey'> },
  plan: string | null,
): Promise<SavedPlan> {
  const saved = await readPlan(findPlanFile(plansFolder(config), plan, 'planned'), stores.planKey());
  if (saved.meta.expires > isoNow(clock)) return saved;
  throw new SyncError('SYNC_PLAN_EXPIRED', {
    message: `The plan ${saved.meta.plan} expired at ${saved.meta.expires}.`,
    place: saved.file,
    remedy: 'Create a new one with `talent-sync plan`; approvals stay valid.',
  });
}
