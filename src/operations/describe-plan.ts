import type { NamedHold } from '../model/desired.js';
import { readPlanId } from '../planning/saved/newest-plan.js';
import { openPlanDocument } from '../planning/saved/plan-document.js';
import { findPlanFile, type PlanHead, type PlanSummary } from '../planning/saved/plan-file.js';
import { plansFolder } from '../planning/saved/save-plan.js';
import { splitHolds } from '../report/exit-code.js';
import type { TenantOperation } from './operation.js';
import { withStores } from './with-stores.js';

type ToldHead = Pick<PlanHead, 'plan' | 'file' | 'fingerprint' | 'expires' | 'undoes'>;
type ToldSummary = Pick<
  PlanSummary,
  'counts' | 'toSources' | 'cost' | 'guards' | 'declined' | 'adoption' | 'bulkLoad' | 'deliveries' | 'understood'
>;
export type PlanTold = ReturnType<typeof describePlan>;

/** A plan as `plan --json` prints it, without details that are known only during derivation. */
export function describePlan(
  { plan, file, fingerprint, expires, undoes }: ToldHead,
  { counts, toSources, cost, guards, declined, adoption, bulkLoad, deliveries, understood }: ToldSummary,
  holds: Iterable<NamedHold>,
) {
  return {
    plan,
    file,
    fingerprint,
    expires,
    ...(undoes === undefined ? {} : { undoes: undoes.run }),
    counts,
    ...(Object.keys(toSources).length === 0 ? {} : { to_sources: toSources }),
    cost,
    ...splitHolds(holds),
    guards,
    ...(declined.length === 0 ? {} : { declined }),
    ...(bulkLoad === null ? {} : { bulk_load: bulkLoad }),
    ...(deliveries.length === 0 ? {} : { deliveries }),
    ...(understood === null ? {} : { understood }),
    ...(adoption === null ? {} : { adoption }),
  };
}

/**
 * Reads a saved plan by id. `newest` means the newest plan from the sources.
 *
 * @throws SyncError SYNC_PLAN_MISSING if the plan no longer exists
 */
export const PLAN: TenantOperation<{ readonly plan: string }, PlanTold> = {
  name: 'readPlan',
  needs: 'a copy',
  perform: (context, { plan: id }) =>
    withStores(context, async (stores) => {
      const file = findPlanFile(plansFolder(context.config), readPlanId(stores, id), 'all');
      const plan = await openPlanDocument(file, stores.planKey());
      const holds: NamedHold[] = [];
      for await (const batch of plan.holds()) holds.push(...batch);
      return describePlan({ ...plan.meta, ...plan }, { ...plan, toSources: plan.sourceCounts }, holds);
    }),
};
